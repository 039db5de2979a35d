use clap::Parser;

use super::*;

async fn workers(flags: &[&str], count: usize) -> (Proxy, Vec<Proxy>) {
    let backends = ["proxy", "--backend=127.0.0.1:1", "--backend=127.0.0.1:2"];
    let arguments = backends.iter().chain(flags);
    let proxy = Proxy::new(Config::parse_from(arguments)).await.unwrap();
    let workers = (0..count).map(|_| proxy.of_worker().unwrap());
    let workers = workers.collect();
    (proxy, workers)
}

#[tokio::test]
async fn backends_take_turns_whoever_serves_the_client() {
    for balance in ["round-robin", "weighted", "least-connections"] {
        let (_, workers) = workers(&["--balance", balance], 2).await;
        let picks = [0, 0, 1, 0, 1, 1].map(|n| workers[n].balancer.pick(&[]).unwrap());
        let ports = picks.each_ref().map(|pick| pick.addresses[0].port());
        assert_eq!(ports, [1, 2, 1, 2, 1, 2], "{balance}");
    }
}

#[tokio::test]
async fn what_is_known_of_a_backend_all_know() {
    let route = "--sni=a.example.com=127.0.0.1:2";
    let (control, workers) = workers(&["--fall=2", route], 2).await;
    control.backends[0].set_up(false);
    for worker in &workers {
        assert!(!worker.backends[0].is_up());
        let route = worker.routes.find("a.example.com", &[]).unwrap();
        let pick = route.pick(&[]).unwrap();
        assert!(Arc::ptr_eq(&pick, &worker.backends[1]));
        assert_eq!(control.backends[1].in_flight(), 1);
    }

    // Two failures in a row, one at each worker.
    for worker in &workers {
        worker.failed(&worker.backends[1], &"on purpose");
    }
    assert!(control.backends[1].is_ejected());
}

#[tokio::test]
async fn limits_hold_for_all_together() {
    let limits = ["--max-connections=2", "--rate-limit=1/s", "--rate-burst=1"];
    let (_, workers) = workers(&limits, 2).await;
    let admit = |n: usize, client: [u8; 4]| workers[n].limits.admit(client.into());

    let _one = admit(0, [192, 0, 2, 1]).unwrap();
    assert!(admit(1, [192, 0, 2, 1]).is_err());
    let _two = admit(1, [192, 0, 2, 2]).unwrap();
    assert!(admit(0, [192, 0, 2, 3]).is_err());
}

#[tokio::test]
async fn counters_are_of_one_worker() {
    let (control, workers) = workers(&[], 2).await;
    workers[0].metrics.connections.inc();
    assert_eq!(workers[1].metrics.connections.get(), 0);
    assert_eq!(control.metrics.connections.get(), 0);
}
