//! Horizontal bars: names on the left, values on the right, a thin line for the range.

use super::Plot;
use super::scale::Scale;
use super::svg::{Anchor, COLOURS, Canvas};

/// Bars that belong together.
#[derive(Debug, Clone)]
pub struct Group {
    /// What they have in common.
    pub name: String,

    /// From top to bottom.
    pub bars: Vec<Bar>,
}

/// One bar.
#[derive(Debug, Clone)]
pub struct Bar {
    /// Stands beside it.
    pub name: String,

    /// How long it is.
    pub value: f64,

    /// The least and the greatest value that were measured.
    pub range: (f64, f64),
}

/// Draws them.
pub fn draw(id: &str, title: &str, groups: &[Group], show: &dyn Fn(f64) -> String) -> Plot {
    let mut canvas = Canvas::default();
    canvas.heading((0.0, 18.0), title);

    let mut y = 30.0;
    for group in groups {
        if groups.len() > 1 {
            y += ROW;
            canvas.text((0.0, y - 8.0), Anchor::Start, &group.name);
        }
        // Each group has a scale of its own: small and large answers have none in common.
        let most = group.bars.iter().map(|bar| bar.range.1).fold(0.0, f64::max);
        let scale = Scale::linear((0.0, most), (LEFT, WIDTH - RIGHT));
        for bar in &group.bars {
            draw_bar(&mut canvas, &scale, bar, y, show);
            y += ROW;
        }
    }

    Plot {
        id: id.to_owned(),
        title: title.to_owned(),
        description: describe(groups, show),
        width: WIDTH,
        height: y + 6.0,
        body: canvas.body,
    }
}

fn draw_bar(canvas: &mut Canvas, scale: &Scale, bar: &Bar, y: f64, show: &dyn Fn(f64) -> String) {
    let middle = y + ROW / 2.0;
    let end = scale.place(bar.value.max(0.0));
    let (least, greatest) = (
        scale.place(bar.range.0.max(0.0)),
        scale.place(bar.range.1.max(0.0)),
    );

    canvas.text((LEFT - 8.0, middle + 4.0), Anchor::End, &bar.name);
    canvas.bar((LEFT, y + 3.0), (end - LEFT, ROW - 6.0), colour(&bar.name));
    if greatest - least >= 1.0 {
        canvas.rule((least, middle), (greatest, middle), 1.0);
        canvas.rule((least, middle - 4.0), (least, middle + 4.0), 1.0);
        canvas.rule((greatest, middle - 4.0), (greatest, middle + 4.0), 1.0);
    }
    canvas.text(
        (greatest.max(end) + 6.0, middle + 4.0),
        Anchor::Start,
        &show(bar.value),
    );
}

/// One colour for each family; what is not a proxy to compare with stays grey.
fn colour(name: &str) -> &'static str {
    match name.split('-').next() {
        Some("phase") => COLOURS[0],
        Some("haproxy") => COLOURS[1],
        Some("nginx") => COLOURS[2],
        _ => COLOURS[5],
    }
}

fn describe(groups: &[Group], show: &dyn Fn(f64) -> String) -> String {
    let sentences = groups.iter().map(|group| {
        let bars: Vec<String> = group
            .bars
            .iter()
            .map(|bar| format!("{} {}", bar.name, show(bar.value)))
            .collect();
        format!("{}: {}.", group.name, bars.join(", "))
    });
    sentences.collect::<Vec<_>>().join(" ")
}

const WIDTH: f64 = 720.0;

/// For the longest name.
const LEFT: f64 = 160.0;

/// For the longest value.
const RIGHT: f64 = 90.0;

const ROW: f64 = 24.0;
