//! Draws the book's figure.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::simulate::Run;

/// Writes the figure if that is wanted, else says whether it is up to date.
pub fn compare_or_write(svg: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FIGURE);
    if env::var_os("WRITE_FIGURE").is_some() {
        fs::write(&path, svg).expect("the figure can be written");
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == svg,
        "the figure shows another simulation; draw it anew: \
         WRITE_FIGURE=1 cargo test -p phase-16 --test sizing"
    );
}

const FIGURE: &str = "../../book/figures/16-adaptive-pool.svg";

/// Who came, how many connections waited, and who found none.
pub fn draw(load: &[Duration], fixed: &Run, counted: &Run, oracle: &Run) -> String {
    let mut svg = HEAD.to_owned();

    lane(&mut svg, 0, "clients per second", "0", "60");
    bars(&mut svg, 0, load, 60.0, "box", 0.0, 1.0);

    lane(&mut svg, 1, "connections that wait", "0", "30");
    steps(&mut svg, oracle, "thin");
    steps(&mut svg, fixed, "line dash");
    steps(&mut svg, counted, "line proxy");

    lane(&mut svg, 2, "clients per second who find none", "0", "30");
    bars(&mut svg, 2, &fixed.misses, 30.0, "box", 0.0, 0.5);
    bars(&mut svg, 2, &counted.misses, 30.0, "lit", 0.5, 1.0);

    for second in (0..=SECONDS).step_by(20) {
        let x = x(second as f64);
        let _ = writeln!(
            svg,
            r#"<text class="small" x="{x:.1}" y="{:.0}" text-anchor="middle">{second} s</text>"#,
            bottom(2) + 14.0
        );
    }
    svg + "</svg>\n"
}

fn lane(svg: &mut String, lane: usize, title: &str, low: &str, high: &str) {
    let (left, right, top, bottom) = (
        x(0.0),
        x(SECONDS as f64),
        bottom(lane) - HEIGHT,
        bottom(lane),
    );
    let _ = writeln!(
        svg,
        r#"<text class="text bold" x="{left}" y="{:.0}">{title}</text>
<path class="thin" d="M{left} {top:.0}V{bottom:.0}H{right}"/>
<text class="small" x="{:.0}" y="{:.0}" text-anchor="end">{high}</text>
<text class="small" x="{:.0}" y="{bottom:.0}" text-anchor="end">{low}</text>"#,
        top - 8.0,
        left - 4.0,
        top + 8.0,
        left - 4.0,
    );
}

/// One bar for each second, in a part of its width.
fn bars(
    svg: &mut String,
    lane: usize,
    moments: &[Duration],
    full: f64,
    class: &str,
    from: f64,
    to: f64,
) {
    for second in 0..SECONDS {
        let count = moments.iter().filter(|at| at.as_secs() == second).count();
        let height = HEIGHT * count as f64 / full;
        if count > 0 {
            let _ = writeln!(
                svg,
                r#"<rect class="{class}" x="{:.1}" y="{:.1}" width="{:.1}" height="{height:.1}"/>"#,
                x(second as f64 + from),
                bottom(lane) - height,
                x(to) - x(from),
            );
        }
    }
}

/// What waited at most in each quarter of a second.
fn steps(svg: &mut String, run: &Run, class: &str) {
    let mut path = String::new();
    for quarter in 0..4 * SECONDS {
        let at = |quarter| Duration::from_millis(250 * quarter);
        let within = run
            .waiting
            .iter()
            .filter(|(from, _)| (at(quarter)..at(quarter + 1)).contains(from));
        let most = within.map(|&(_, waiting)| waiting).max();
        let most = most.unwrap_or(0).max(run.waiting_at(at(quarter)));
        let y = bottom(1) - HEIGHT * most as f64 / 30.0;
        let letter = if path.is_empty() { 'M' } else { 'L' };
        let _ = write!(path, "{letter}{:.1} {y:.1}", x(quarter as f64 / 4.0));
    }
    let _ = writeln!(svg, r#"<path class="{class}" d="{path}"/>"#);
}

fn x(second: f64) -> f64 {
    28.0 + 316.0 * second / SECONDS as f64
}

fn bottom(lane: usize) -> f64 {
    112.0 + 122.0 * lane as f64
}

const HEIGHT: f64 = 84.0;

const SECONDS: u64 = 80;

const HEAD: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 360 386">
<title>A pool of four and a pool that follows its load, under the same clients</title>
<desc>Three graphs over the same 80 seconds. First, how many clients come per second: one or so until second 20, about sixty until second 40, then one again, with 24 at the same moment at seconds 42, 45, 48, 51, 54 and 57. Second, how many connections wait, at most in each quarter of a second: the fixed pool has four all the time. The pool that follows its load has one at first, some six while sixty come per second, 24 from the first burst on, and after the last one the number falls to one within ten seconds. An oracle that knows who will come has one or two, and 24 for a moment before each burst. Third, how many clients find none: with the fixed pool twenty and more in each of the six bursts, and a few in the busy time; with the other one nearly all of the first burst, a few when the busy time begins, and then nearly nobody.</desc>
"#;
