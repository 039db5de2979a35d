//! Plots as SVG, in two forms: to stand inside a page, and as a file of its own.
//!
//! Nothing depends on colour alone: bars carry their names, lines their dashes. Text takes the colour of the page, and the other colours have enough
//! contrast to both white and black.

pub mod bars;
pub mod lines;
mod scale;
mod svg;

/// A finished picture.
#[derive(Debug, Clone)]
pub struct Plot {
    /// Unique in a page; also the name of its file.
    pub id: String,

    /// The heading.
    pub title: String,

    /// What a reader is told who does not see it.
    description: String,

    width: f64,

    height: f64,

    body: String,
}

impl Plot {
    /// For a page, whose colours it takes. No line of it is empty: that would end the
    /// picture in Markdown.
    pub fn inline(&self) -> String {
        self.svg("")
    }

    /// For a file, which has to know itself what is light and what is dark.
    pub fn file(&self) -> String {
        let style = "<style>svg{color:#1f2328}\
            @media(prefers-color-scheme:dark){svg{color:#e6edf3}}</style>\n";
        svg::without_variables(&self.svg(style))
    }

    fn svg(&self, style: &str) -> String {
        let Self {
            id,
            width,
            height,
            body,
            ..
        } = self;
        let (title, description) = (svg::escape(&self.title), svg::escape(&self.description));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             width=\"100%\" style=\"max-width:{width}px\" role=\"img\" \
             aria-labelledby=\"{id}-title {id}-description\" font-family=\"sans-serif\" \
             font-size=\"13\" fill=\"currentColor\">\n\
             <title id=\"{id}-title\">{title}</title>\n\
             <desc id=\"{id}-description\">{description}</desc>\n\
             {style}{body}</svg>\n"
        )
    }
}
