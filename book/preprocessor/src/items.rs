//! Finds the items of a Rust file by name, with the lines they stand on.
//!
//! The places come from the parser, so the sources need no markers for the book, and a name that is
//! gone is an error instead of an empty block.

use std::ops::RangeInclusive;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Attribute, ImplItem, Item, ItemImpl, TraitItem, Type};

/// Something in a file that a chapter can name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// As a chapter writes it: `fn dial`, `Balancer::pick`, `impl Display for Error`, `use`.
    pub name: String,
    /// Its lines, counted from 1: with its attributes, and the comments directly above.
    pub lines: RangeInclusive<usize>,
}

/// Everything in `source` that has a name, in the order of the file; members follow their type.
pub fn items(source: &str) -> syn::Result<Vec<Named>> {
    let file = syn::parse_file(source)?;
    let mut found = Vec::new();
    for line in file.attrs.iter().map(|attribute| lines(attribute.span())) {
        found.push(("doc".to_owned(), line));
    }
    for item in &file.items {
        top_level(item, &mut found);
    }
    let source: Vec<&str> = source.lines().collect();
    let named = found.into_iter().map(|(name, lines)| Named {
        name,
        lines: with_comments(&source, lines),
    });
    Ok(named.collect())
}

type Found = Vec<(String, RangeInclusive<usize>)>;

fn top_level(item: &Item, found: &mut Found) {
    let name = match item {
        Item::Fn(item) => format!("fn {}", item.sig.ident),
        Item::Struct(item) => format!("struct {}", item.ident),
        Item::Enum(item) => format!("enum {}", item.ident),
        Item::Trait(item) => format!("trait {}", item.ident),
        Item::Type(item) => format!("type {}", item.ident),
        Item::Const(item) => format!("const {}", item.ident),
        Item::Static(item) => format!("static {}", item.ident),
        Item::Macro(item) => match &item.ident {
            Some(ident) => format!("macro {ident}"),
            None => return,
        },
        Item::Use(_) => "use".to_owned(),
        Item::Mod(_) => "mod".to_owned(),
        Item::Impl(item) => implementation(item),
        _ => return,
    };
    found.push((name, lines(item.span())));

    match item {
        Item::Impl(item) => {
            let owner = type_name(&item.self_ty);
            for member in &item.items {
                let ident = match member {
                    ImplItem::Fn(member) => &member.sig.ident,
                    ImplItem::Const(member) => &member.ident,
                    ImplItem::Type(member) => &member.ident,
                    _ => continue,
                };
                found.push((format!("{owner}::{ident}"), lines(member.span())));
            }
        }
        Item::Trait(item) => {
            for member in &item.items {
                if let TraitItem::Fn(function) = member {
                    let name = format!("{}::{}", item.ident, function.sig.ident);
                    found.push((name, lines(member.span())));
                }
            }
        }
        _ => {}
    }
}

fn implementation(item: &ItemImpl) -> String {
    let owner = type_name(&item.self_ty);
    let of = item.trait_.as_ref().and_then(|of| of.0.segments.last());
    match of {
        Some(of) => format!("impl {} for {owner}", of.ident),
        None => format!("impl {owner}"),
    }
}

fn type_name(ty: &Type) -> String {
    match ty {
        Type::Path(path) => path
            .path
            .segments
            .last()
            .map_or_else(String::new, |segment| segment.ident.to_string()),
        Type::Reference(reference) => type_name(&reference.elem),
        _ => String::new(),
    }
}

fn lines(span: Span) -> RangeInclusive<usize> {
    span.start().line..=span.end().line
}

/// A comment directly above an item is about it, though the parser does not know.
fn with_comments(source: &[&str], lines: RangeInclusive<usize>) -> RangeInclusive<usize> {
    let is_comment = |line: &&&str| {
        let line = line.trim_start();
        line.starts_with("//") && !line.starts_with("//!")
    };
    let above = source[..lines.start() - 1].iter().rev();
    let comments = above.take_while(is_comment).count();
    lines.start() - comments..=*lines.end()
}

/// The attributes of an item, for those who look for its documentation.
pub fn documentation(attributes: &[Attribute]) -> String {
    let mut text = Vec::new();
    for attribute in attributes {
        if let syn::Meta::NameValue(pair) = &attribute.meta
            && pair.path.is_ident("doc")
            && let syn::Expr::Lit(literal) = &pair.value
            && let syn::Lit::Str(line) = &literal.lit
        {
            text.push(line.value().trim().to_owned());
        }
    }
    text.join("\n")
}
