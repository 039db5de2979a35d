//! Backends, as scripts: what each connection to them hears and says.

use std::net::{Shutdown, SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread;

use socket2::SockRef;

use crate::door::Door;
use crate::peer::Peer;
use crate::record::{DEADLINE, Record};

/// A server that plays a script on each connection, in a thread of its own, and
/// keeps what the script returns. It can go down, and come back on the same port.
pub struct Backend<T = ()> {
    door: Door,
    listener: Option<TcpListener>,
    play: Arc<Play<T>>,
}

/// What the connections of one backend share.
struct Play<T> {
    script: Box<Script<T>>,
    accepted: Record<()>,
    saw: Record<T>,
}

/// Gets the connection and its number, counted from 0.
type Script<T> = dyn Fn(Peer, usize) -> T + Send + Sync;

impl<T: Send + 'static> Backend<T> {
    /// Starts a backend that plays `script`.
    pub fn start(script: impl Fn(Peer, usize) -> T + Send + Sync + 'static) -> Self {
        let mut backend = Self::down(script);
        backend.come_back();
        backend
    }

    /// A backend that refuses connections until it comes back.
    pub fn down(script: impl Fn(Peer, usize) -> T + Send + Sync + 'static) -> Self {
        Self {
            door: Door::closed(),
            listener: None,
            play: Arc::new(Play {
                script: Box::new(script),
                accepted: Record::new(),
                saw: Record::new(),
            }),
        }
    }

    /// Refuses connections from now on. Those that it has go on.
    pub fn go_down(&mut self) {
        if let Some(listener) = self.listener.take() {
            // Wakes the accepting thread, which closes the socket.
            let _ = SockRef::from(&listener).shutdown(Shutdown::Both);
        }
    }

    /// Accepts connections again.
    pub fn come_back(&mut self) {
        let listener = self.door.open();
        let accepting = listener.try_clone().expect("a listener can be cloned");
        self.listener = Some(listener);

        let play = Arc::clone(&self.play);
        thread::spawn(move || {
            while let Ok((stream, _)) = accepting.accept() {
                let play = Arc::clone(&play);
                let number = play.accepted.look(<[()]>::len);
                play.accepted.push(());
                thread::spawn(move || {
                    let saw = (play.script)(Peer::new(stream), number);
                    play.saw.push(saw);
                });
            }
        });
    }

    /// Where it listens, or will.
    pub fn addr(&self) -> SocketAddr {
        self.door.addr()
    }

    /// How many connections it has accepted.
    pub fn accepted(&self) -> usize {
        self.play.accepted.look(<[()]>::len)
    }

    /// Waits until it has accepted `count` connections.
    pub fn wait_accepted(&self, count: usize) {
        self.play
            .accepted
            .wait(DEADLINE, |all| (all.len() >= count).then_some(()))
            .unwrap_or_else(|| panic!("the backend did not get {count} connections"));
    }

    /// How many it has accepted once no more have come for a while.
    pub fn settled(&self) -> usize {
        self.play.accepted.settled()
    }

    /// What the scripts that have ended have returned, in the order of their ends.
    pub fn saw(&self) -> &Record<T> {
        &self.play.saw
    }

    /// Waits for a script to end, and takes what it has returned.
    pub fn next(&self) -> T {
        self.play
            .saw
            .take()
            .expect("a connection reaches the backend")
    }
}

impl Backend {
    /// Answers its name to whoever asks, and stays until the client leaves.
    pub fn naming(name: &'static str) -> Self {
        Self::start(move |peer, _| answer(&peer, name))
    }

    /// Accepts, and hangs up before the first byte.
    pub fn hanging_up() -> Self {
        Self::start(|_, _| ())
    }

    /// Says nothing, and stays until the client leaves.
    pub fn silent() -> Self {
        Self::start(|peer, _| {
            peer.hear_all();
        })
    }
}

impl Backend<Peer> {
    /// Hands each connection over, for a dialogue in the test itself.
    pub fn meeting() -> Self {
        Self::start(|peer, _| peer)
    }
}

impl<T> Drop for Backend<T> {
    fn drop(&mut self) {
        if let Some(listener) = &self.listener {
            let _ = SockRef::from(listener).shutdown(Shutdown::Both);
        }
    }
}

/// A backend's part in [`client::ask`](crate::client::ask).
pub fn answer(peer: &Peer, name: &str) {
    if peer.hear(1) == b"?" {
        peer.say(format!("{name}\n"));
        peer.hear_all();
    }
}
