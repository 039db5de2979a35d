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

    lane(&mut svg, 0, "clients per second");
    bars(&mut svg, 0, load);

    lane(&mut svg, 1, "connections that wait");
    steps(&mut svg, 1, oracle, "thin");
    steps(&mut svg, 1, fixed, "dash");
    steps(&mut svg, 1, counted, "line");

    lane(&mut svg, 2, "find none, per second: pool of 4");
    bars(&mut svg, 2, &fixed.misses);

    lane(&mut svg, 3, "find none: pool that follows its load");
    bars(&mut svg, 3, &counted.misses);

    for second in (0..=SECONDS).step_by(20) {
        let (x, y) = (x(second as f64), bottom(3) + 18.0);
        let anchor = if second == SECONDS { "end" } else { "middle" };
        let _ = writeln!(
            svg,
            r#"<text class="small" x="{x:.1}" y="{y:.0}" text-anchor="{anchor}">{second} s</text>"#
        );
    }
    svg + "</svg>\n"
}

/// A title and two axes.
fn lane(svg: &mut String, lane: usize, title: &str) {
    let (left, right, bottom) = (x(0.0), x(SECONDS as f64), bottom(lane));
    let (top, high) = (bottom - HEIGHT, FULL[lane]);
    let beside = left - 5.0;
    let _ = writeln!(
        svg,
        r#"<text class="small bold" x="{left:.0}" y="{:.0}">{title}</text>
<path class="thin" d="M{left:.0} {top:.0}V{bottom:.0}H{right:.0}"/>
<text class="small" x="{beside:.0}" y="{:.0}" text-anchor="end">{high}</text>
<text class="small" x="{beside:.0}" y="{bottom:.0}" text-anchor="end">0</text>"#,
        top - 8.0,
        top + 10.0,
    );
}

/// A bar for each second.
fn bars(svg: &mut String, lane: usize, moments: &[Duration]) {
    let mut path = String::new();
    for second in 0..SECONDS {
        let count = moments.iter().filter(|at| at.as_secs() == second).count();
        if count > 0 {
            let (x, y) = (x(second as f64 + 0.5), y(lane, count));
            let _ = write!(path, "M{x:.1} {:.0}V{y:.1}", bottom(lane));
        }
    }
    let _ = writeln!(svg, r#"<path class="line" d="{path}"/>"#);
}

/// What waited at most in each quarter of a second.
fn steps(svg: &mut String, lane: usize, run: &Run, class: &str) {
    let mut path = String::new();
    for quarter in 0..4 * SECONDS {
        let (from, to) = [quarter, quarter + 1]
            .map(|quarter| Duration::from_millis(250 * quarter))
            .into();
        let within = run.waiting.iter().filter(|(at, _)| (from..to).contains(at));
        let most = within.map(|&(_, waiting)| waiting).max();
        let most = most.unwrap_or(0).max(run.waiting_at(from));

        let letter = if path.is_empty() { 'M' } else { 'L' };
        let (x, y) = (x(quarter as f64 / 4.0), y(lane, most));
        let _ = write!(path, "{letter}{x:.1} {y:.1}");
    }
    let _ = writeln!(svg, r#"<path class="{class}" d="{path}"/>"#);
}

fn x(second: f64) -> f64 {
    24.0 + 330.0 * second / SECONDS as f64
}

fn y(lane: usize, count: usize) -> f64 {
    bottom(lane) - HEIGHT * count as f64 / FULL[lane] as f64
}

fn bottom(lane: usize) -> f64 {
    90.0 + 98.0 * lane as f64
}

const HEIGHT: f64 = 64.0;

/// What the height of each lane stands for.
const FULL: [usize; 4] = [80, 30, 30, 30];

const SECONDS: u64 = 80;

const HEAD: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 360 406">
<title>A pool of four and a pool that follows its load, under the same clients</title>
<desc>Four graphs over the same 80 seconds. First, how many clients come per second: one or so until second 20, about sixty until second 40, then one again, with 24 at the same moment at seconds 42, 45, 48, 51, 54 and 57. Second, how many connections wait, at most in each quarter of a second: the fixed pool has four all the time. The pool that follows its load has one at first, some six while sixty come per second, 24 from the first burst on, and after the last one the number falls slowly and then, ten seconds after it, to one. An oracle that knows who will come has one or two, and 24 for a moment before each burst. Third, how many clients per second find none with the fixed pool: twenty in each of the six bursts, and one or two now and then in the busy time. Fourth, the same with the pool that follows its load: nearly all of the first burst, a few when the busy time begins, and then nearly nobody.</desc>
"#;
