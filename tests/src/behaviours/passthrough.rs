//! TLS from end to end: what the proxy must not touch.

use crate::matrix::Cell::{Has, Lacks};
use crate::matrix::Row;
use crate::peer::Peer;
use crate::phase::Phase;
use crate::tls::{self, Identity};

pub const ROWS: &[Row] = &[Row {
    name: "tls_is_passed_through",
    says: "A client speaks TLS with the backend itself: it sees the certificate of the one whose name it asks for, and hears its answer.",
    run: tls_is_passed_through,
    cells: &[
        (
            1,
            Lacks(
                "a.example.com: certificate of d, answer d: hello; x.b.example.com: certificate of d, answer d: hello",
            ),
        ),
        (
            10,
            Has(
                "a.example.com: certificate of a, answer a: hello; x.b.example.com: certificate of b, answer b: hello",
            ),
        ),
    ],
}];

fn tls_is_passed_through(phase: &Phase) -> String {
    // Each is good for both names, so that a wrong way is not hidden by an error.
    let names = ["a", "b", "d"];
    let known = names.map(|_| Identity::new(&["a.example.com", "x.b.example.com"]));
    let [a, b, d] = [0, 1, 2].map(|place| known[place].serve(names[place]));
    let proxy = phase
        .proxy()
        .backend(d.addr())
        .repeat("--sni", format_args!("a.example.com={}", a.addr()))
        .repeat("--sni", format_args!("*.b.example.com={}", b.addr()))
        .flag("--sni-peek-timeout", "100s")
        .start();

    let asked = ["a.example.com", "x.b.example.com"].map(|server| {
        let client = Peer::connect(proxy.addr());
        match tls::ask(&client, server, "hello", &known.each_ref()) {
            Ok((shown, answer)) => {
                format!("{server}: certificate of {}, answer {answer}", names[shown])
            }
            Err(error) => format!("{server}: {error}"),
        }
    });
    asked.join("; ")
}
