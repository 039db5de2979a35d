//! Which file of a crate uses what of which other: the arrows of its design, read from the sources.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, ItemUse, Macro, MetaList, UseTree};

/// For each file, named from the crate's folder, the files that it uses, and what of them.
pub(super) type Uses = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// Reads the crate in `folder`. Unit tests are left out: they may look at whatever they like.
///
/// A library and a program in one folder are two crates. Nothing can use the program, so what it
/// uses of the library goes round in no circle, and is left out as well.
pub(super) fn of(folder: &Path) -> Result<Uses> {
    let mut uses = Uses::new();
    for root in ["src/lib.rs", "src/main.rs"] {
        if folder.join(root).is_file() {
            let mut modules = Modules::new();
            read(folder, root, Vec::new(), &mut modules)?;
            for (module, (file, source)) in &modules {
                let mut reader = Reader {
                    modules: &modules,
                    module: module.clone(),
                    imports: BTreeMap::new(),
                    used: BTreeMap::new(),
                };
                reader.visit_file(source);
                reader.used.remove(file);
                uses.insert(file.clone(), reader.used);
            }
        }
    }
    Ok(uses)
}

/// Where something stands below the crate's root: `relay`, `meter`, `Meter`.
type Names = Vec<String>;

/// The file and the source of each module.
type Modules = BTreeMap<Names, (String, syn::File)>;

/// Reads a module and those below it.
fn read(folder: &Path, file: &str, module: Names, modules: &mut Modules) -> Result<()> {
    let text =
        fs::read_to_string(folder.join(file)).with_context(|| format!("cannot read {file}"))?;
    let source = syn::parse_file(&text).with_context(|| format!("{file} is no Rust"))?;
    for item in &source.items {
        if let Item::Mod(child) = item
            && child.content.is_none()
            && !is_test(&child.attrs)
        {
            let below = [&module[..], &[child.ident.to_string()]].concat();
            read(
                folder,
                &format!("src/{}.rs", below.join("/")),
                below,
                modules,
            )?;
        }
    }
    modules.insert(module, (file.to_owned(), source));
    Ok(())
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute
                .parse_args::<syn::Path>()
                .is_ok_and(|path| path.is_ident("test"))
    })
}

/// Reads one file.
struct Reader<'a> {
    modules: &'a Modules,
    /// The module in which the reader is.
    module: Names,
    /// What the names mean that a `use` has brought in.
    imports: BTreeMap<String, Names>,
    used: BTreeMap<String, BTreeSet<String>>,
}

impl Reader<'_> {
    /// Notes the file that a path leads to, if it stays inside the crate.
    fn path(&mut self, path: &[String]) {
        // A single name was brought in by a `use`, which is noted already, or is a variable.
        if path.len() > 1
            && let Some(place) = self.place(path)
        {
            self.note(&place);
        }
    }

    /// Where a path leads, counted from the crate's root.
    fn place(&self, path: &[String]) -> Option<Names> {
        let (first, rest) = path.split_first()?;
        let mut place = match first.as_str() {
            "crate" => Names::new(),
            "self" => self.module.clone(),
            "super" => self.module.split_last()?.1.to_vec(),
            name => match self.imports.get(name) {
                Some(place) => place.clone(),
                None => {
                    let child = [&self.module[..], &[name.to_owned()]].concat();
                    self.modules.contains_key(&child).then_some(child)?
                }
            },
        };
        for name in rest {
            match name.as_str() {
                "super" => drop(place.pop()),
                name => place.push(name.to_owned()),
            }
        }
        Some(place)
    }

    fn note(&mut self, place: &[String]) {
        let found = (0..=place.len())
            .rev()
            .find_map(|length| Some((length, self.modules.get(&place[..length])?)));
        if let Some((length, (file, _))) = found {
            let name = place.get(length).or_else(|| place.last());
            let name = name.map_or("crate", String::as_str);
            let names = self.used.entry(file.clone()).or_default();
            names.insert(name.to_owned());
        }
    }

    /// Notes what the end of a `use` brings in.
    fn import(&mut self, path: &[String], name: &str) {
        if let Some(place) = self.place(path) {
            self.note(&place);
            self.imports.insert(name.to_owned(), place);
        }
    }

    fn tree(&mut self, tree: &UseTree, above: &[String]) {
        let with = |name: &syn::Ident| [above, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(tree) => self.tree(&tree.tree, &with(&tree.ident)),
            UseTree::Name(tree) if tree.ident == "self" => {
                self.import(above, above.last().map_or("self", String::as_str));
            }
            UseTree::Name(tree) => self.import(&with(&tree.ident), &tree.ident.to_string()),
            UseTree::Rename(tree) if tree.ident == "self" => {
                self.import(above, &tree.rename.to_string());
            }
            UseTree::Rename(tree) => self.import(&with(&tree.ident), &tree.rename.to_string()),
            UseTree::Glob(_) => self.path(&[above, &["*".to_owned()]].concat()),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.tree(tree, above)),
        }
    }

    /// The arguments of a macro are tokens to the parser: a path in them is names between colons.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path = Names::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.path(&path);
                        path.clear();
                    }
                    path.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Punct(sign) if sign.as_char() == ':' => colons += 1,
                // `$crate` is how another crate sees this one, and leads nowhere from here.
                TokenTree::Punct(sign) if sign.as_char() == '$' => {
                    self.path(&path);
                    path = vec!["$".to_owned()];
                    colons = 2;
                }
                other => {
                    self.path(&path);
                    path.clear();
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.tokens(group.stream());
                    }
                }
            }
        }
        self.path(&path);
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if !is_test(&item.attrs) {
            self.module.push(item.ident.to_string());
            visit::visit_item_mod(self, item);
            self.module.pop();
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if item.leading_colon.is_none() {
            self.tree(&item.tree, &[]);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() {
            let names = path.segments.iter().map(|part| part.ident.to_string());
            self.path(&names.collect::<Names>());
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast Macro) {
        self.tokens(item.tokens.clone());
        visit::visit_macro(self, item);
    }

    fn visit_meta_list(&mut self, list: &'ast MetaList) {
        self.tokens(list.tokens.clone());
    }
}
