use clap::Parser;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::yield_now;

use tokio::time::timeout;

use super::*;
use crate::config::Config;
use crate::connect::pool::Pool;
use crate::proxy::Proxy;

/// A backend that has accepted the connections of a pool of this size.
struct Scene {
    proxy: Arc<Proxy>,

    listener: TcpListener,

    accepted: Vec<TcpStream>,
}

impl Scene {
    async fn new(options: &str, size: usize, arguments: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let backend = format!("{}{options}", listener.local_addr().unwrap());
        let size_text = size.to_string();
        let words = ["proxy", "--backend", &backend, "--pool-size", &size_text];
        let config = Config::parse_from([&words, arguments].concat());
        let mut scene = Self {
            proxy: Arc::new(Proxy::new(config).await.unwrap()),
            listener,
            accepted: Vec::new(),
        };

        let config = &scene.proxy.config;
        start(&config.pool, config.connect.timeout, &scene.proxy.backends);
        if scene.backend().pooled {
            scene.accept(size).await;
            scene.wait(|pool| pool.len() == size).await;
        }
        scene
    }

    async fn accept(&mut self, count: usize) {
        for _ in 0..count {
            let accepting = timeout(Duration::from_secs(10), self.listener.accept());
            self.accepted
                .push(accepting.await.expect("soon").unwrap().0);
        }
    }

    async fn wait(&self, condition: impl Fn(&Pool) -> bool) {
        soon(|| condition(&self.backend().pool)).await;
    }

    /// Whether nothing more is dialled.
    async fn is_quiet(&self) -> bool {
        let time = Duration::from_millis(300);
        timeout(time, self.listener.accept()).await.is_err()
    }

    fn backend(&self) -> &Backend {
        &self.proxy.backends[0]
    }
}

async fn soon(condition: impl Fn() -> bool) {
    let wait = async {
        while !condition() {
            yield_now().await;
        }
    };
    timeout(Duration::from_secs(10), wait).await.expect("soon");
}

#[tokio::test]
async fn the_pool_is_filled_up_to_its_size_and_again_after_each_use() {
    let mut scene = Scene::new("", 2, &[]).await;
    assert!(scene.is_quiet().await);

    assert!(scene.backend().pool.take().is_some());
    scene.accept(1).await;
    scene.wait(|pool| pool.len() == 2).await;
}

#[tokio::test]
async fn an_end_is_noticed_while_the_connection_waits() {
    for reset in [false, true] {
        let mut scene = Scene::new("", 3, &[]).await;
        let ended = scene.accepted.remove(1);
        if reset {
            ended.set_zero_linger().unwrap();
        }
        drop(ended);

        // Nobody takes anything out.
        scene.wait(|pool| pool.events().stale == 1).await;
        scene.accept(1).await;
        scene.wait(|pool| pool.len() == 3).await;
    }
}

#[tokio::test]
async fn a_greeting_ends_the_pool() {
    // More than the 128 answers that the runtime allows a task in one turn.
    let mut scene = Scene::new("", 150, &[]).await;
    scene.accepted[149].write_all(b"220 hi\r\n").await.unwrap();
    for stream in &mut scene.accepted {
        // The one with the greeting is reset, because nobody has read it.
        assert!(matches!(stream.read(&mut [0; 1]).await, Ok(0) | Err(_)));
    }
    assert!(scene.is_quiet().await);
    assert!(scene.backend().pool.speaks_first());
}

#[tokio::test]
async fn what_is_too_old_is_replaced() {
    let mut scene = Scene::new("", 1, &["--pool-max-idle", "50ms"]).await;
    assert_eq!(scene.accepted[0].read(&mut [0; 1]).await.unwrap(), 0);
    scene.accept(1).await;
    scene.wait(|pool| pool.events().expired == 1).await;
}

#[tokio::test]
async fn a_backend_that_is_down_gives_all_back_and_gets_none() {
    let mut scene = Scene::new("", 2, &[]).await;
    scene.backend().set_up(false);
    for stream in &mut scene.accepted {
        assert_eq!(stream.read(&mut [0; 1]).await.unwrap(), 0);
    }
    assert!(scene.is_quiet().await);

    scene.backend().set_up(true);
    scene.accept(2).await;
}

#[tokio::test]
async fn a_backend_that_is_ejected_gives_all_back() {
    let mut scene = Scene::new("", 2, &["--fall", "1"]).await;
    scene.proxy.failed(scene.backend(), &"it was told to");
    for stream in &mut scene.accepted {
        assert_eq!(stream.read(&mut [0; 1]).await.unwrap(), 0);
    }
    assert!(scene.is_quiet().await);
}

#[tokio::test]
async fn while_draining_nothing_waits() {
    let mut scene = Scene::new("", 2, &[]).await;
    stop(&scene.proxy.backends);
    for stream in &mut scene.accepted {
        assert_eq!(stream.read(&mut [0; 1]).await.unwrap(), 0);
    }
    assert!(scene.is_quiet().await);

    // The task has ended: it held the context.
    soon(|| Arc::strong_count(&scene.proxy) == 1).await;
}

#[tokio::test]
async fn a_backend_may_be_left_out() {
    let scene = Scene::new(",pool=off", 2, &[]).await;
    assert!(scene.is_quiet().await);
    assert!(scene.backend().pool.take().is_none());
    assert_eq!(scene.backend().pool.events().miss, 0);
}
