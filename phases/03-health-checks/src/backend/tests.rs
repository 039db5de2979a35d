use super::*;

fn error(text: &str) -> String {
    text.parse::<BackendAddress>().unwrap_err()
}

#[test]
fn names_and_both_kinds_of_addresses_are_accepted() {
    for text in ["web.example:80", "127.0.0.1:65535", "[::1]:1"] {
        let address: BackendAddress = text.parse().unwrap();
        assert_eq!(address.host_and_port, text);
    }
}

#[test]
fn an_error_names_the_cause_and_the_mend() {
    assert_eq!(
        error("web.example"),
        "the port is missing; write web.example:PORT"
    );
    assert_eq!(error(":80"), "the host is missing; write HOST:80");
    assert_eq!(
        error("::1"),
        "an IPv6 address needs brackets, as in [::1]:80"
    );
    assert_eq!(
        error("web.example:http"),
        "\"http\" is not a port; use a number from 1 to 65535"
    );
    for port in ["0", "65536", "-1", ""] {
        assert!(
            error(&format!("web.example:{port}")).contains("is not a port"),
            "{port}"
        );
    }
}

#[test]
fn a_weight_is_from_1_to_256() {
    let address: BackendAddress = "web.example:80,weight=256".parse().unwrap();
    assert_eq!(
        (address.host_and_port.as_str(), address.weight),
        ("web.example:80", 256)
    );

    for weight in ["0", "257", "-1", "", "3x"] {
        assert_eq!(
            error(&format!("web.example:80,weight={weight}")),
            format!("{weight:?} is not a weight; use a number from 1 to 256")
        );
    }
    assert_eq!(
        error("web.example:80,heavy"),
        "\"heavy\" is unknown; write ADDR,weight=N"
    );
}

#[test]
fn our_own_listener_is_known_whatever_it_is_called() {
    for (listener, own, others) in [
        (
            "127.0.0.1:80",
            &["127.0.0.1:80", "0.0.0.0:80", "[::ffff:127.0.0.1]:80"][..],
            &["127.0.0.1:81", "127.0.0.2:80", "[::1]:80"][..],
        ),
        (
            "0.0.0.0:80",
            &["127.0.0.1:80", "127.0.0.2:80", "0.0.0.0:80"],
            // An address for examples (RFC 5737) is nobody's.
            &["127.0.0.1:81", "192.0.2.1:80", "[::1]:80"],
        ),
        (
            "[::]:80",
            &["127.0.0.1:80", "0.0.0.0:80"],
            &["127.0.0.1:81", "192.0.2.1:80"],
        ),
    ] {
        let leads = |to: &&str| leads_to(to.parse().unwrap(), listener.parse().unwrap());
        assert!(own.iter().all(leads), "{listener}");
        assert!(!others.iter().any(leads), "{listener}");
    }
}
