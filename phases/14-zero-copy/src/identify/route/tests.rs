use clap::Parser;

use super::*;
use crate::config::Config;

/// Routes whose balancers are told apart by their size: the n-th has n backends.
async fn routes(patterns: &[&str]) -> Routes {
    let mut arguments = vec!["proxy".to_owned()];
    for (n, pattern) in patterns.iter().enumerate() {
        for port in 1..n + 2 {
            arguments.push(format!("--sni={pattern}=127.0.0.1:{port}"));
        }
    }
    let config = Config::parse_from(arguments);
    Routes::new(&config.route, Balance::RoundRobin, &mut vec![])
        .await
        .unwrap()
}

/// Which pattern a name leads to, counted from 1; 0 for none.
fn find(routes: &Routes, name: &str) -> u32 {
    let found = routes.find(name, &[]);
    found.map_or(0, |balancer| balancer.untried(&[]))
}

#[tokio::test]
async fn the_most_specific_route_wins() {
    let routes = routes(&[
        "a.example.com",
        "*.b.example.com",
        "*.x.b.example.com",
        "*.com",
    ])
    .await;
    for (name, route) in [
        ("a.example.com", 1),
        ("x.b.example.com", 2),
        ("y.z.b.example.com", 2),
        ("y.x.b.example.com", 3),
        ("b.example.com", 4),
        ("c.a.example.com", 4),
        ("com", 0),
        ("a.example.org", 0),
        ("", 0),
    ] {
        assert_eq!(find(&routes, name), route, "{name}");
    }
}

#[tokio::test]
async fn a_wildcard_does_not_match_its_own_name() {
    let routes = routes(&["*.b.example.com"]).await;
    assert_eq!(find(&routes, "b.example.com"), 0);
    assert_eq!(find(&routes, "xb.example.com"), 0);
}

/// The most specific name that fits at all wins, and only then the protocol.
#[tokio::test]
async fn the_protocol_that_the_client_likes_best_wins() {
    let routes = routes(&[
        "a.example.com",
        "a.example.com,alpn=h2",
        "a.example.com,alpn=http/1.1",
        "*.example.com,alpn=h2",
        "b.example.com,alpn=acme-tls/1",
    ])
    .await;
    for (name, alpn, route) in [
        ("a.example.com", &[][..], 1),
        ("a.example.com", &["h3"], 1),
        ("a.example.com", &["h2", "http/1.1"], 2),
        ("a.example.com", &["h3", "http/1.1", "h2"], 3),
        ("b.example.com", &["acme-tls/1"], 5),
        ("b.example.com", &["h2"], 4),
        ("b.example.com", &["http/1.1"], 0),
    ] {
        let alpn: Vec<_> = alpn
            .iter()
            .map(|protocol| protocol.as_bytes().to_vec())
            .collect();
        let found = routes.find(name, &alpn);
        let found = found.map_or(0, |balancer| balancer.untried(&[]));
        assert_eq!(found, route, "{name} {alpn:?}");
    }
}

#[test]
fn patterns_are_read_without_regard_to_case_and_last_dot() {
    assert_eq!(
        "A.Example.COM.".parse(),
        Ok(Pattern::Exactly("a.example.com".into()))
    );
    assert_eq!(
        "*.B.example.com".parse(),
        Ok(Pattern::Below("b.example.com".into()))
    );
}

#[test]
fn errors_name_the_mend() {
    for text in ["", "*", "*.", "a..b", "*.*.b", "a*.b", ".a", "a b"] {
        let error = text.parse::<Pattern>().unwrap_err();
        assert!(
            error.contains("write a.example.com or *.example.com"),
            "{text}"
        );
    }
    assert_eq!(
        "a.example.com".parse::<SniRoute>().unwrap_err(),
        "the backend is missing; write a.example.com=HOST:PORT"
    );
    assert_eq!(
        "a.example.com,alpn=h2".parse::<SniRoute>().unwrap_err(),
        "the backend is missing; write a.example.com,alpn=h2=HOST:PORT"
    );
    assert_eq!(
        "a.example.com,alpn==web:80"
            .parse::<SniRoute>()
            .unwrap_err(),
        "the protocol is missing; write a.example.com,alpn=h2=web:80"
    );
    assert!(
        "a.example.com=web"
            .parse::<SniRoute>()
            .unwrap_err()
            .contains("port is missing")
    );
}

#[tokio::test]
async fn a_backend_of_several_routes_is_one_backend() {
    let config = Config::parse_from([
        "proxy",
        "--sni=a.example.com=127.0.0.1:1",
        "--sni=b.example.com=127.0.0.1:1",
        "--sni=b.example.com=127.0.0.1:2",
    ]);
    let mut backends = vec![];
    Routes::new(&config.route, Balance::RoundRobin, &mut backends)
        .await
        .unwrap();
    assert_eq!(backends.len(), 2);
}

#[tokio::test]
async fn one_backend_cannot_have_two_weights() {
    let config = Config::parse_from([
        "proxy",
        "--sni=a.example.com=127.0.0.1:1",
        "--sni=b.example.com=127.0.0.1:1,weight=2",
    ]);
    let error = Routes::new(&config.route, Balance::RoundRobin, &mut vec![])
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "backend 127.0.0.1:1 has two weights; give it the same one everywhere"
    );
}
