//! The flags of a phase's program, read from `Config` and the settings of the stations.

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

/// The flags of a phase, in their order: those of `Config`, and where it takes in the settings of
/// a station, the flags of these.
pub fn flags(step: &Step) -> Vec<Flag> {
    let sources = step.program.iter();
    let files: Vec<_> = sources
        .filter(|(path, _)| path.starts_with("src/") && !path.ends_with("tests.rs"))
        .filter_map(|(_, source)| syn::parse_file(source).ok())
        .collect();
    flags_of("Config", &files)
}

fn flags_of(name: &str, files: &[syn::File]) -> Vec<Flag> {
    let found = files.iter().find_map(|file| {
        file.items.iter().find_map(|item| match item {
            Item::Struct(item) if item.ident == name => Some((&file.items, &item.fields)),
            _ => None,
        })
    });
    let Some((items, fields)) = found else {
        return Vec::new();
    };
    let flags = fields.iter().flat_map(|field| match flattened(field) {
        Some(name) => flags_of(&name, files),
        None => flag(items, field).into_iter().collect(),
    });
    flags.collect()
}

/// The type of a field whose flags belong to the program's own.
fn flattened(field: &Field) -> Option<String> {
    let is_flattened = field.attrs.iter().any(|attribute| {
        attribute.path().is_ident("command")
            && attribute
                .meta
                .require_list()
                .is_ok_and(|list| list.tokens.to_string().starts_with("flatten"))
    });
    match &field.ty {
        Type::Path(path) if is_flattened => Some(path.path.segments.last()?.ident.to_string()),
        _ => None,
    }
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
        _ => match value_of("id") {
            Some(id) => text(items, id)?,
            None => field.ident.as_ref()?.to_string().replace('_', "-"),
        },
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
