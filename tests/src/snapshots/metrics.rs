//! The metrics page of a program that nobody has used yet.

use crate::metrics::Page;
use crate::phase::Phase;

pub fn write(phase: &Phase) -> String {
    let backend = crate::door::Door::closed();
    let program = phase
        .proxy()
        .flag("--metrics", "127.0.0.1:0")
        .backend(backend.addr())
        .start();
    Page::read(&program).text().replace('\r', "")
}
