//! Lines over an axis, told apart by colour and dashes.

use super::Plot;
use super::scale::Scale;
use super::svg::{Anchor, COLOURS, Canvas};

/// One line.
#[derive(Debug, Clone)]
pub struct Line {
    /// Stands in the legend.
    pub name: String,

    /// From left to right.
    pub points: Vec<(f64, f64)>,
}

/// Draws them over an axis. It is logarithmic when the values are far apart.
pub fn draw(id: &str, title: &str, x: &str, lines: &[Line], show: &dyn Fn(f64) -> String) -> Plot {
    let mut canvas = Canvas::default();
    canvas.heading((0.0, 18.0), title);
    let top = legend(&mut canvas, lines);
    let bottom = top + HEIGHT;

    let points = || lines.iter().flat_map(|line| &line.points);
    let first = points().map(|point| point.0).fold(f64::INFINITY, f64::min);
    let last = points().map(|point| point.0).fold(0.0, f64::max);
    let most = points().map(|point| point.1).fold(0.0, f64::max) * 1.05;

    let across = (LEFT, WIDTH - RIGHT);
    let horizontal = if first >= 1.0 && last / first > 50.0 {
        Scale::logarithmic((first, last), across)
    } else {
        Scale::linear((first.min(last), last), across)
    };
    let vertical = Scale::linear((0.0, most), (bottom, top));

    for tick in vertical.ticks() {
        let y = vertical.place(tick);
        canvas.rule(
            (LEFT, y),
            (WIDTH - RIGHT, y),
            if tick == 0.0 { 0.8 } else { 0.15 },
        );
        canvas.text((LEFT - 8.0, y + 4.0), Anchor::End, &show(tick));
    }
    for tick in horizontal.ticks() {
        let place = horizontal.place(tick);
        canvas.rule((place, bottom), (place, bottom + 5.0), 0.8);
        canvas.text(
            (place, bottom + 20.0),
            Anchor::Middle,
            &crate::figure::thousands(tick),
        );
    }
    canvas.text(
        (f64::midpoint(LEFT, WIDTH - RIGHT), bottom + 40.0),
        Anchor::Middle,
        x,
    );

    for (index, line) in lines.iter().enumerate() {
        let place = |&(x, y): &(f64, f64)| (horizontal.place(x), vertical.place(y));
        let places: Vec<(f64, f64)> = line.points.iter().map(place).collect();
        let (colour, dashes) = style(index);
        canvas.path(&places, colour, dashes);
        // Marks say where was measured; a curve of many points has no room for them.
        if places.len() <= 20 {
            places
                .into_iter()
                .for_each(|place| canvas.dot(place, colour));
        }
    }

    Plot {
        id: id.to_owned(),
        title: title.to_owned(),
        description: describe(lines, x, show),
        width: WIDTH,
        height: bottom + 50.0,
        body: canvas.body,
    }
}

/// A row for each line; returns where the plot itself begins.
fn legend(canvas: &mut Canvas, lines: &[Line]) -> f64 {
    let mut y = 40.0;
    for (index, line) in lines.iter().enumerate() {
        let (colour, dashes) = style(index);
        canvas.path(&[(LEFT, y - 4.0), (LEFT + 40.0, y - 4.0)], colour, dashes);
        canvas.text((LEFT + 50.0, y), Anchor::Start, &line.name);
        y += 18.0;
    }
    y
}

fn style(index: usize) -> (&'static str, &'static str) {
    const DASHES: [&str; 6] = ["none", "8 4", "2 3", "10 3 2 3", "5 5", "1 5"];
    (COLOURS[index % COLOURS.len()], DASHES[index % DASHES.len()])
}

fn describe(lines: &[Line], x: &str, show: &dyn Fn(f64) -> String) -> String {
    let sentences = lines.iter().filter_map(|line| {
        let (first, last) = (line.points.first()?, line.points.last()?);
        Some(format!(
            "{} goes from {} at {:.0} to {} at {:.0} ({x}).",
            line.name,
            show(first.1),
            first.0,
            show(last.1),
            last.0
        ))
    });
    sentences.collect::<Vec<_>>().join(" ")
}

const WIDTH: f64 = 720.0;

const HEIGHT: f64 = 260.0;

/// For the longest value.
const LEFT: f64 = 90.0;

const RIGHT: f64 = 20.0;
