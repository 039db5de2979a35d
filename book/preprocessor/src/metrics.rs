//! The metrics of a phase's program, read from where they are registered.

use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Expr, Lit, Macro, Token};

use crate::project::Step;

/// One metric.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metric {
    /// `tcpproxy_connections_total`.
    pub name: String,
    /// Counter, gauge or histogram.
    pub kind: &'static str,
    /// The names of its labels.
    pub labels: Vec<String>,
    /// What it says.
    pub help: String,
}

/// The metrics of a phase, in the order of the source.
pub fn metrics(step: &Step) -> Vec<Metric> {
    let mut found = Registered::default();
    let sources = step
        .program
        .iter()
        .filter(|(path, _)| path.ends_with(".rs") && !path.ends_with("/tests.rs"));
    for (_, source) in sources {
        if let Ok(file) = syn::parse_file(source) {
            found.visit_file(&file);
        }
    }
    found.0
}

/// The metrics that the phase adds.
pub fn new_metrics(step: &Step, before: Option<&Step>) -> Vec<Metric> {
    let known = before.map(metrics).unwrap_or_default();
    let mut metrics = metrics(step);
    metrics.retain(|metric| known.iter().all(|known| known.name != metric.name));
    metrics
}

#[derive(Default)]
struct Registered(Vec<Metric>);

impl<'ast> Visit<'ast> for Registered {
    fn visit_macro(&mut self, call: &'ast Macro) {
        let arguments = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(call.tokens.clone());
        if let (Ok(arguments), Some(name)) = (arguments, call.path.segments.last()) {
            for argument in &arguments {
                self.visit_expr(argument);
            }
            self.0.extend(metric(&name.ident.to_string(), &arguments));
        }
        visit::visit_macro(self, call);
    }
}

fn metric(call: &str, arguments: &Punctuated<Expr, Token![,]>) -> Option<Metric> {
    let mut literals = arguments.iter();
    let name = literals.next().and_then(text)?;
    let help = literals.next().and_then(text)?;
    if !name.starts_with("tcpproxy_") {
        return None;
    }
    let labels = literals.next().map(labels).unwrap_or_default();
    let kind = ["counter", "gauge", "histogram"];
    let kind = kind.into_iter().find(|kind| call.contains(kind))?;
    Some(Metric {
        name,
        kind,
        labels,
        help,
    })
}

fn labels(value: &Expr) -> Vec<String> {
    match value {
        Expr::Reference(reference) => labels(&reference.expr),
        Expr::Array(array) => array.elems.iter().filter_map(text).collect(),
        _ => Vec::new(),
    }
}

fn text(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}
