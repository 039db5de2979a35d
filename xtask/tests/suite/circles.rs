//! The files of a crate use each other in one direction.

use xtask::check;

use crate::project::Project;

#[test]
fn a_circle_is_named_with_what_is_used() {
    let project = Project::new();
    project.write_in("02", "src/lib.rs", "mod a;\nmod b;\nmod c;\n");
    project.write_in("02", "src/a.rs", "use crate::b::{B, other};\n");
    project.write_in("02", "src/b.rs", "use crate::c::C;\n");
    project.write_in("02", "src/c.rs", "use crate::a::A;\n");

    let failures = failures(&project);

    assert_eq!(failures.len(), 1, "{failures:#?}");
    let (what, mend) = failures[0].split_once('\n').expect("a mend");
    assert_eq!(
        what,
        "circle in phases/02-balance: src/a.rs → src/b.rs (B, other) → src/c.rs (C) → src/a.rs (A)"
    );
    assert!(mend.contains("→ move what both ends need"), "{mend}");
}

#[test]
fn circles_that_share_an_arrow_are_one_to_mend() {
    let project = Project::new();
    project.write("tool/src/lib.rs", "mod a;\nmod b;\nmod c;\nmod d;\n");
    project.write("tool/src/a.rs", "use crate::b::B;\n");
    project.write("tool/src/b.rs", "use crate::{a::A, c::C};\n");
    project.write("tool/src/c.rs", "use crate::{a::A, d::D};\n");
    project.write("tool/src/d.rs", "use crate::c::C;\n");

    let failures = failures(&project);

    assert_eq!(failures.len(), 2, "{failures:#?}");
    assert!(failures[0].starts_with("circle in tool: src/a.rs → src/b.rs (B) → src/a.rs (A)\n"));
    assert!(failures[1].starts_with("circle in tool: src/c.rs → src/d.rs (D) → src/c.rs (C)\n"));
}

#[test]
fn a_circle_is_listed_where_it_is_born() {
    let project = Project::new();
    for number in ["02", "03", "04"] {
        project.write_in(number, "src/lib.rs", "mod a;\nmod b;\n");
        project.write_in(number, "src/a.rs", "use crate::b::B;\n");
        project.write_in(number, "src/b.rs", "use crate::a::A;\n");
    }
    project.write_in("04", "src/lib.rs", "mod a;\nmod b;\nmod c;\n");
    project.write_in("04", "src/c.rs", "mod d;\nuse d::D;\n");
    project.write_in("04", "src/c/d.rs", "use super::C;\n");

    let failures = failures(&project);

    assert_eq!(failures.len(), 2, "{failures:#?}");
    assert!(failures[0].starts_with("circle in phases/02-balance: src/a.rs → src/b.rs"));
    assert!(failures[1].starts_with("circle in phases/04-failover: src/c.rs → src/c/d.rs"));
}

#[test]
fn a_file_is_used_in_many_ways() {
    let project = Project::new();
    project.write("tool/src/lib.rs", "mod a;\nmod b;\nmod other;\n");
    project.write("tool/src/a.rs", "use crate::b::B;\n");
    project.write("tool/src/other.rs", "");
    for user in [
        "use super::a::A;",
        "use super::{a, other};",
        "use crate::a as renamed;",
        "use crate::{other::{self, Other}, a::{self}};",
        "use crate::a::*;",
        "pub(crate) use crate::a::A;",
        "fn f() { crate::a::f(); }",
        "fn f() { super::a::B::new(); }",
        "fn f(a: Option<&crate::a::A>) {}",
        "mod inside { use super::super::a::A; }",
        "fn f() { select! { _ = crate::a::f() => {} } }",
        "struct S { #[arg(value_parser = crate::a::parse)] field: u8 }",
        "impl crate::a::Trait for u8 {}",
    ] {
        project.write("tool/src/b.rs", user);
        assert_eq!(failures(&project).len(), 1, "{user}");
    }
}

#[test]
fn a_module_may_be_used_through_another() {
    let project = Project::new();
    project.write("tool/src/main.rs", "mod a;\nmod b;\n");
    project.write("tool/src/a.rs", "pub mod inner;\n");
    project.write("tool/src/a/inner.rs", "use crate::b::B;\n");
    project.write(
        "tool/src/b.rs",
        "use crate::a;\nfn f() { a::inner::f(); }\n",
    );

    let failures = failures(&project);

    assert_eq!(failures.len(), 1, "{failures:#?}");
    assert!(failures[0].contains("src/a/inner.rs → src/b.rs (B) → src/a/inner.rs (f)"));
}

#[test]
fn what_only_looks_like_a_circle_is_none() {
    let project = Project::new();
    project.write(
        "tool/src/lib.rs",
        "mod a;\nmod b;\npub use a::A;\nfn f() { ::b::f(); }\n\
         macro_rules! m { () => { $crate::b::f() } }",
    );
    // Its tests may use what uses it; `inner` is a variable, and a file of its own.
    project.write(
        "tool/src/a.rs",
        "mod inner;\n#[cfg(test)]\nmod tests;\n#[cfg(test)]\nmod more { use crate::b::B; }\n\
         fn f(inner: u8) { use_it(inner); serde::b::f(); }\n",
    );
    project.write("tool/src/a/tests.rs", "mod more;\nuse more::M;\n");
    project.write("tool/src/a/tests/more.rs", "use super::helper;\n");
    project.write("tool/src/a/inner.rs", "use crate::b::B;\n");
    project.write(
        "tool/src/b.rs",
        "use crate::{a, f};\nfn g() { crate::b::f(); }\n",
    );

    assert_eq!(failures(&project), Vec::<String>::new());
}

#[test]
fn what_cannot_be_read_is_said() {
    let project = Project::new();
    project.write("tool/src/lib.rs", "mod a;\nmod b;\n");
    project.write("tool/src/a.rs", "fn {\n");

    let said = failures(&project);
    assert!(
        said[0].starts_with("tool: src/a.rs is no Rust: "),
        "{said:#?}"
    );

    project.write("tool/src/a.rs", "");
    let said = failures(&project);
    assert!(
        said[0].starts_with("tool: cannot read src/b.rs"),
        "{said:#?}"
    );
}

/// What is said about the arrows; the deltas are not blessed here.
fn failures(project: &Project) -> Vec<String> {
    let failures = check::phases(project.root()).expect("a checked project");
    let failures = failures.iter().map(ToString::to_string);
    let about_arrows =
        |failure: &String| failure.starts_with("circle") || failure.starts_with("tool");
    failures.filter(about_arrows).collect()
}
