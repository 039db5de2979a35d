//! The flags of a phase's program, read from its `config.rs`.

use syn::{Expr, Field, Item, Lit, Meta, Type};

use crate::items;
use crate::project::Step;

/// One flag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    /// Without the dashes: `idle-timeout`.
    pub name: String,
    /// What follows it: `TIME`.
    pub value: Option<String>,
    /// What it is without the flag, if there is something to say.
    pub default: Option<String>,
    /// What it is for.
    pub help: String,
}

/// The flags of a phase, in their order.
pub fn flags(step: &Step) -> Vec<Flag> {
    let source = step.program.get("src/config.rs");
    let file = source.and_then(|source| syn::parse_file(source).ok());
    let Some(file) = file else {
        return Vec::new();
    };
    let fields = file.items.iter().filter_map(|item| match item {
        Item::Struct(item) => Some(&item.fields),
        _ => None,
    });
    let flags = fields
        .flatten()
        .filter_map(|field| flag(&file.items, field));
    flags.collect()
}

/// The flags that the phase adds.
pub fn new_flags(step: &Step, before: Option<&Step>) -> Vec<Flag> {
    let known = before.map(flags).unwrap_or_default();
    let mut flags = flags(step);
    flags.retain(|flag| known.iter().all(|known| known.name != flag.name));
    flags
}

fn flag(items: &[Item], field: &Field) -> Option<Flag> {
    let attributes = field.attrs.iter();
    let mut arguments = Vec::new();
    for attribute in attributes.filter(|attribute| attribute.path().is_ident("arg")) {
        let list = syn::punctuated::Punctuated::<Meta, syn::Token![,]>::parse_terminated;
        arguments.extend(attribute.parse_args_with(list).ok()?);
    }
    let long = arguments
        .iter()
        .find(|argument| argument.path().is_ident("long"))?;
    let value_of = |name: &str| {
        arguments.iter().find_map(|argument| match argument {
            Meta::NameValue(pair) if pair.path.is_ident(name) => Some(&pair.value),
            _ => None,
        })
    };
    let name = match long {
        Meta::NameValue(pair) => text(items, &pair.value)?,
        _ => field.ident.as_ref()?.to_string().replace('_', "-"),
    };
    let default = ["default_value", "default_value_t", "default_values"];
    let default = default.iter().find_map(|name| value_of(name));
    let is_switch = matches!(&field.ty, Type::Path(path) if path.path.is_ident("bool"));
    let value = value_of("value_name").and_then(|value| text(items, value));
    Some(Flag {
        value: value.or_else(|| (!is_switch).then(|| name.to_uppercase().replace('-', "_"))),
        name,
        default: default.and_then(|value| text(items, value)),
        help: items::documentation(&field.attrs).replace('\n', " "),
    })
}

/// A value as a user would type it.
fn text(items: &[Item], value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Some(text.value()),
            Lit::Int(number) => Some(number.base10_digits().to_owned()),
            Lit::Float(number) => Some(number.base10_digits().to_owned()),
            Lit::Bool(value) => Some(value.value.to_string()),
            _ => None,
        },
        // `NonZeroUsize::new(1024).unwrap()`
        Expr::MethodCall(call) => text(items, &call.receiver),
        Expr::Call(call) => text(items, call.args.first()?),
        Expr::Path(path) => {
            let segments = &path.path.segments;
            let last = segments.last()?.ident.to_string();
            let constant = items.iter().find_map(|item| match item {
                Item::Const(item) if item.ident == last => Some(&item.expr),
                _ => None,
            });
            match constant {
                Some(value) => text(items, value),
                None if segments.len() > 1 => Some(kebab(&last)),
                None => None,
            }
        }
        _ => None,
    }
}

/// `RoundRobin` as clap writes it.
fn kebab(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push('-');
        }
        text.extend(letter.to_lowercase());
    }
    text
}
