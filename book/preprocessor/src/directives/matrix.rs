//! `matrix`: which behaviour is right for which phase.

use anyhow::{Result, bail};
use testkit::{Cell, Row};

use super::Resolver;
use crate::render;

impl Resolver<'_> {
    /// Nothing for all of it, `row NAME`, `column 04` or `new 04`
    pub(super) fn matrix(&mut self, words: &[&str]) -> Result<String> {
        match words {
            [] => Ok(self.whole()),
            ["row", name] => match testkit::rows().find(|row| row.name == *name) {
                Some(row) => Ok(self.row(row)),
                None => {
                    let names: Vec<_> = testkit::rows().map(|row| row.name).collect();
                    bail!("the matrix has no such row; it has {}", names.join(", "))
                }
            },
            ["column", number] => self.column(number),
            ["new", number] => self.new_cells(number),
            _ => bail!("it takes nothing, `row NAME`, `column NN` or `new NN`"),
        }
    }

    fn whole(&self) -> String {
        let numbers = self.numbers();
        let head: Vec<_> = numbers
            .iter()
            .map(|number| {
                self.chapter_link(&format!("{number:02}"))
                    .replace("chapter ", "")
                    .replace("phase ", "")
            })
            .collect();
        let mut head: Vec<&str> = head.iter().map(String::as_str).collect();
        head.insert(0, "behaviour");
        let rows: Vec<_> = testkit::rows()
            .map(|row| {
                let cells = numbers
                    .iter()
                    .map(|number| word(row.cell(*number)).to_owned());
                let name = format!(
                    "<span title=\"{}\">{}</span>",
                    render::escape(row.says),
                    words(row)
                );
                [name].into_iter().chain(cells).collect()
            })
            .collect();
        let says: Vec<_> = testkit::rows()
            .map(|row| format!("- **{}**: {}", words(row), row.says))
            .collect();
        format!(
            "<div class=\"matrix\">\n\n{}\n</div>\n\n{}\n",
            render::table(&head, &rows),
            render::details("What each behaviour is about", &says.join("\n"))
        )
    }

    fn row(&self, row: &Row) -> String {
        let numbers = self.numbers();
        let mut spans: Vec<(u8, u8, Cell)> = Vec::new();
        for number in numbers {
            let cell = row.cell(number);
            match spans.last_mut() {
                Some((_, last, same)) if *same == cell => *last = number,
                _ => spans.push((number, number, cell)),
            }
        }
        let rows: Vec<_> = spans
            .into_iter()
            .map(|(first, last, cell)| {
                let phases = match first == last {
                    true => format!("{first:02}"),
                    false => format!("{first:02}–{last:02}"),
                };
                vec![phases, word(cell).to_owned(), observation(cell)]
            })
            .collect();
        format!(
            "*{}*: {}\n\n{}",
            words(row),
            row.says,
            render::table(&["phases", "cell", "observed"], &rows)
        )
    }

    fn column(&self, number: &str) -> Result<String> {
        let phase = self.number(number)?;
        let rows: Vec<_> = testkit::rows()
            .filter(|row| row.cell(phase).wanted().is_some())
            .map(|row| {
                vec![
                    words(row),
                    word(row.cell(phase)).to_owned(),
                    observation(row.cell(phase)),
                ]
            })
            .collect();
        Ok(render::table(&["behaviour", "cell", "observed"], &rows))
    }

    fn new_cells(&self, number: &str) -> Result<String> {
        let phase = self.number(number)?;
        let before = |row: &Row| match phase {
            1 => Cell::NotAsked,
            _ => row.cell(phase - 1),
        };
        let both = |cell: Cell| match word(cell) {
            "" => "not asked".to_owned(),
            word => format!("**{word}**: {}", observation(cell)),
        };
        let rows: Vec<_> = testkit::rows()
            // What could not even be asked before, and is still not there, is no news.
            .filter(|row| {
                !matches!(
                    (before(row), row.cell(phase)),
                    (Cell::NotAsked, Cell::Lacks(_))
                )
            })
            .filter(|row| row.cell(phase) != before(row))
            .map(|row| {
                vec![
                    row.says.to_owned(),
                    both(before(row)),
                    both(row.cell(phase)),
                ]
            })
            .collect();
        if rows.is_empty() {
            bail!("no row changes in phase {number}");
        }
        let (old, new) = (format!("before {number}"), format!("from {number} on"));
        Ok(render::table(&["behaviour", &old, &new], &rows))
    }

    fn number(&self, number: &str) -> Result<u8> {
        let phase = self.project.index.find_step(number)?;
        Ok(phase.number.parse()?)
    }

    fn numbers(&self) -> Vec<u8> {
        let numbers = self.project.index.steps().map(|phase| phase.number.parse());
        numbers.filter_map(Result::ok).collect()
    }
}

fn words(row: &Row) -> String {
    row.name.replace('_', " ")
}

/// Words, not colours or signs: a screen reader reads them, too.
fn word(cell: Cell) -> &'static str {
    match cell {
        Cell::Has(_) => "yes",
        Cell::Flaw(..) => "flaw",
        Cell::Lacks(_) => "no",
        Cell::NotAsked => "",
    }
}

fn observation(cell: Cell) -> String {
    let seen = cell
        .wanted()
        .unwrap_or_default()
        .replace('*', "\\*")
        .replace('<', "\\<");
    match cell {
        Cell::Flaw(id, _) => format!("{seen} (`{id}`)"),
        _ => seen,
    }
}
