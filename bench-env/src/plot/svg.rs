//! The few elements that the plots are made of.

/// A picture that grows.
#[derive(Debug, Default)]
pub struct Canvas {
    pub body: String,
}

/// Where a text stands in relation to its point.
#[derive(Debug, Clone, Copy)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

impl Canvas {
    pub fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let (x, y, text) = (number(x), number(y), escape(text));
        self.add(&format!(
            "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{text}</text>"
        ));
    }

    pub fn heading(&mut self, (x, y): (f64, f64), text: &str) {
        let (x, y, text) = (number(x), number(y), escape(text));
        self.add(&format!(
            "<text x=\"{x}\" y=\"{y}\" font-weight=\"bold\">{text}</text>"
        ));
    }

    pub fn bar(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), colour: &str) {
        let [x, y, width, height] = [x, y, width, height].map(number);
        self.add(&format!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{colour}\"/>"
        ));
    }

    /// A line of the frame: thin, and in the colour of the text.
    pub fn rule(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), opacity: f64) {
        let [x1, y1, x2, y2] = [x1, y1, x2, y2].map(number);
        self.add(&format!(
            "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" stroke=\"currentColor\" \
             stroke-opacity=\"{opacity}\"/>"
        ));
    }

    pub fn path(&mut self, points: &[(f64, f64)], colour: &str, dashes: &str) {
        let points: Vec<String> = points
            .iter()
            .map(|&(x, y)| format!("{},{}", number(x), number(y)))
            .collect();
        self.add(&format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" \
             stroke-dasharray=\"{dashes}\"/>",
            points.join(" ")
        ));
    }

    pub fn dot(&mut self, (x, y): (f64, f64), colour: &str) {
        let (x, y) = (number(x), number(y));
        self.add(&format!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"3.5\" fill=\"{colour}\"/>"
        ));
    }

    fn add(&mut self, element: &str) {
        self.body.push_str(element);
        self.body.push('\n');
    }
}

pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// Not every program that shows pictures knows variables.
pub fn without_variables(svg: &str) -> String {
    COLOURS.iter().fold(svg.to_owned(), |svg, variable| {
        let colour = variable.rsplit(' ').next().unwrap_or_default();
        svg.replace(variable, colour.trim_end_matches(')'))
    })
}

/// With one digit after the point, which is less than an eye sees.
fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

/// After Okabe and Ito, who chose them for colour-blind readers; all have a contrast of
/// three or more to white and to near black. A page may set others.
pub const COLOURS: [&str; 6] = [
    "var(--plot-1, #2f81c4)",
    "var(--plot-2, #d55e00)",
    "var(--plot-3, #00936b)",
    "var(--plot-4, #b8659b)",
    "var(--plot-5, #8c7a00)",
    "var(--plot-6, #7f7f7f)",
];
