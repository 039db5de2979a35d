use super::{Window, judge};

fn calm() -> Window {
    Window {
        seconds: 10.0,
        cores: 4.0,
        machine: 30.0,
        busiest_load_thread: 6.0,
        busiest_backend: 6.0,
        ports: 28_232,
        ..Window::default()
    }
}

#[test]
fn a_calm_machine_limits_nothing() {
    assert!(judge(&calm()).is_empty());
}

#[test]
fn names_each_limit() {
    let busy = |change: fn(&mut Window)| {
        let mut window = calm();
        change(&mut window);
        judge(&window).join(" | ")
    };

    assert!(busy(|w| w.busiest_load_thread = 9.8).starts_with("load generator:"));
    assert!(busy(|w| w.busiest_backend = 9.8).starts_with("backend:"));
    assert!(busy(|w| w.machine = 39.0).starts_with("machine:"));
    assert!(busy(|w| w.stolen = 2.0).starts_with("host:"));
    assert!(busy(|w| w.time_wait_overflows = 1).starts_with("ports:"));
    assert!(busy(|w| w.listen_overflows = 1).starts_with("queue:"));
}

#[test]
fn many_connections_in_time_wait_alone_are_no_limit() {
    let full = Window {
        time_wait: 100_000,
        ..calm()
    };
    assert!(judge(&full).is_empty());

    let failing = Window {
        connect_errors: 3,
        ..full
    };
    assert!(judge(&failing)[0].starts_with("ports:"));
}
