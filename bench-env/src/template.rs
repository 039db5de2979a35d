//! Fills in the configuration files of the programs that we compare with.

use anyhow::{Result, bail};

/// Replaces each `{{name}}` by its value.
///
/// A name without a value is an error: a program that is started with half of its
/// settings may well run, and measure something else.
pub fn fill(template: &str, values: &[(&str, String)]) -> Result<String> {
    let mut text = template.to_owned();
    for (name, value) in values {
        text = text.replace(&format!("{{{{{name}}}}}"), value);
    }

    if let Some(at) = text.find("{{") {
        let left: String = text[at..].chars().take(30).collect();
        bail!("the configuration has a place that nothing fills: {left:?}");
    }
    Ok(text)
}

#[cfg(test)]
mod tests;
