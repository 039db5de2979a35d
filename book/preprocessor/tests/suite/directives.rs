//! Each directive resolves, and says where it does not.

use super::tiny::Tiny;

#[test]
fn what_can_be_read_off_the_phases_is_shown() {
    for (directive, wanted) in [
        (
            "{{#item 02 src/mouth.rs Mouth::say, const TIMES}}",
            "    pub fn say(&self) {",
        ),
        ("{{#item 02 src/mouth.rs Mouth::say}}", "as phase_02."),
        (
            "{{#item 02 src/mouth.rs const TIMES}}",
            "// How often at most.\nconst TIMES: u32 = 3;",
        ),
        (
            "{{#flaw deaf}}",
            "nobody is heard. Born in phase 01, cured in [chapter 02](02-two.md)",
        ),
        (
            "{{#flags 02}}",
            "| `--length TIME` | `3s` | How long it speaks; in vain\\* |",
        ),
        (
            "{{#flags}}",
            "| [02](02-two.md) | `--loud-ness LOUD_NESS` | `7` | How loud |",
        ),
        (
            "{{#metrics 02}}",
            "| `tcpproxy_words_total` | counter | `language` | Words said |",
        ),
        (
            "{{#causes}}",
            "| `sC` | the backend, by its silence | choose and connect |",
        ),
        ("{{#matrix}}", "| behaviour | 01 | [02](02-two.md) |"),
        ("{{#matrix row round_robin_takes_turns}}", "| 02 | yes |"),
        ("{{#matrix column 02}}", "| round robin takes turns | yes |"),
        ("{{#matrix new 02}}", "from 02 on"),
        ("{{#way relay}}", "<li class=\"lit\"><strong>relay</strong>"),
        ("{{#bytes greeting}}", "| 0 | `68 69` | `hi` | word | hi |"),
        (
            "{{#run 02 hello}}",
            "$ cargo run -q -p phase-02 -- --backend 127.0.0.1:9001 --name '*.example.com'",
        ),
        (
            "{{#run 02 hello}}",
            "$ curl http://127.0.0.1:8000 # 8000\nhello",
        ),
        ("{{#run 02 hello log}}", "```text\nINFO gone\n```"),
        ("{{#figure two}}", "url(#f1-arrow)"),
        ("It waits {{#default 02 length}}.", "It waits `3s`."),
        ("It waits {{#default 02 length 3s}}.", "It waits `3s`."),
        ("{{#const 02 src/mouth.rs TIMES 3}} times", "`3` times"),
        ("{{#lines 02 src/lib.rs}} lines", "4 lines"),
        ("Write \\{{#lines 02}}", "Write {{#lines 02}}"),
    ] {
        let text = Tiny::new().resolved(directive);
        assert!(text.contains(wanted), "{directive}: no {wanted} in\n{text}");
    }
}

#[test]
fn a_phase_is_a_tree_by_station() {
    let tiny = Tiny::new();
    for phase in ["01-one", "02-two"] {
        let src = format!("phases/{phase}/src");
        tiny.write(&format!("{src}/nose.rs"), "//! A nose.\n");
        tiny.write(&format!("{src}/nose/wing.rs"), "");
        tiny.write(&format!("{src}/hand.rs"), "//! A hand.\n");
        tiny.write(&format!("{src}/hand/palm.rs"), "");
        tiny.write(&format!("{src}/hand/thumb.rs"), "");
        tiny.write(&format!("{src}/eye.rs"), "");
    }
    tiny.write("phases/01-one/src/tail.rs", "");
    tiny.write("phases/02-two/src/hand/palm/tests.rs", "one\ntwo\n");
    tiny.write(
        "phases/02-two/src/mouth/tongue.rs",
        "//! Tastes. It\n//! is red.\n",
    );
    tiny.write("phases/02-two/src/mouth/tongue/tests.rs", "one\n");
    tiny.bless();

    let text = tiny.resolved("{{#tree 02}}");
    assert_eq!(text.replace("\u{a0}−", " −"), TREE);
}

const TREE: &str = r#"<div class="tree">

- `src/`
  - `account/`
    - `account/cause.rs` · **new**, 5 lines · Causes.
  - `config.rs` · **changed**: +13 −1, now 15 lines · The command line.
  - `ear.rs` · **changed**: +4 −3, now 11 lines · An ear.
  - `hand.rs` · as before
    - `hand/palm.rs` · as before · unit tests **new**, 2 lines
    - as before: `thumb.rs`
  - `lib.rs` · **changed**: +1 −0, now 4 lines · A library.
  - `mouth.rs` · **new**, 14 lines · A mouth.
    - `mouth/tongue.rs` · **new**, 2 lines · unit tests **new**, one line · Tastes.
  - `tail.rs` · removed
  - as before: `eye.rs`, `nose/`
- as before: `Cargo.toml`

</div>

"#;

#[test]
fn what_does_not_resolve_fails_with_chapter_and_line() {
    for (directive, wanted) in [
        (
            "{{#delta 02 src/nose.rs}}",
            "phase 02 does not change src/nose.rs; it changes src/account/cause.rs, src/config.rs",
        ),
        (
            "{{#delta 02 src/ear.rs fn smell}}",
            "src/ear.rs has no `fn smell`; changed are fn hear",
        ),
        (
            "{{#delta 02 src/ear.rs use}}",
            "phase 02 does not change `use` in src/ear.rs",
        ),
        ("{{#delta 07 src/ear.rs}}", "there is no phase 07"),
        (
            "{{#item 02 src/mouth.rs fn say}}",
            "has no `fn say`; it has Mouth::say, const TIMES",
        ),
        ("{{#item 02 src/nose.rs}}", "phase 02 has no src/nose.rs"),
        ("{{#run 02 bye}}", "has no such run; there are: hello"),
        ("{{#run 02 never}}", "it is not recorded yet"),
        ("{{#flaw blind}}", "has no such flaw; it has deaf"),
        (
            "{{#default 02 depth}}",
            "no such flag; it has length, loud-ness",
        ),
        ("{{#matrix row nonsense}}", "the matrix has no such row"),
        ("{{#way home}}", "home is no station"),
        ("{{#figure three}}", "there is no book/figures/three.svg"),
        (
            "{{#bytes farewell}}",
            "there is no book/bytes/farewell.toml",
        ),
        (
            "{{#const 02 src/mouth.rs TIMES 4}}",
            "the text says 4, the program has 3",
        ),
        ("{{#nonsense}}", "there is no such directive"),
        (
            "See {{#delta 02 src/ear.rs}} there",
            "only default, lines and const may stand inside a line",
        ),
    ] {
        let failure = Tiny::new().failure(&format!("# Page\n\n{directive}\n"));
        assert!(failure.starts_with("book/src/page.md:3: {{#"), "{failure}");
        assert!(
            failure.contains(wanted),
            "{directive}: no {wanted} in\n{failure}"
        );
    }
}

#[test]
fn all_failures_are_listed() {
    let tiny = Tiny::new().page("page.md", "{{#flaw a}}\n\n{{#flaw b}} and {{#lines 09}}\n");
    assert_eq!(tiny.failures().len(), 3);
}

#[test]
fn a_changed_default_is_found_by_the_text_that_rests_on_it() {
    let tiny = Tiny::new();
    tiny.edit("phases/02-two/src/config.rs", "\"3s\"", "\"5s\"");
    tiny.bless();
    let failure = tiny.failure("\n\nIt waits {{#default 02 length 3s}}.\n");
    assert_eq!(
        failure,
        "book/src/page.md:3: {{#default 02 length 3s}}: the text says 3s, the program has 5s"
    );
}

#[test]
fn code_blocks_are_left_alone() {
    let text = Tiny::new().resolved("```text\n{{#flaw a}}\n{{#lines 02}}\n```\n");
    assert_eq!(text, "```text\n{{#flaw a}}\n{{#lines 02}}\n```\n");
}

#[test]
fn a_drawing_follows_the_theme_and_has_words() {
    for (from, to, wanted) in [
        (" viewBox=\"0 0 9 9\"", "", "viewBox"),
        ("<desc>Two\nlines</desc>", "", "<desc>"),
        ("class=\"line\"", "stroke=\"#f00\"", "the colour #f00"),
        ("viewBox", "width=\"9\" viewBox", "width"),
    ] {
        let tiny = Tiny::new();
        tiny.edit("book/figures/two.svg", from, to);
        let failure = tiny.failure("{{#figure two}}");
        assert!(failure.contains(wanted), "{failure}");
    }
}

#[test]
fn a_report_of_the_bench_is_shown_whole_or_in_parts() {
    let report = "## fair: who is fair?\n\nThree rounds.\n\n**one**\n\n| a | b |\n| --- | ---: |\n| c | 1 |\n\n<figure>\n<svg/></figure>\n\n**Machine**\n\n- two cores\n";
    for (directive, wanted) in [
        ("{{#bench fair}}", "Three rounds."),
        ("{{#bench fair table 1}}", "**one**\n\n| a | b |"),
        ("{{#bench fair plot 1}}", "<svg/></figure>"),
        ("{{#bench fair section Machine}}", "- two cores"),
    ] {
        let tiny = Tiny::new();
        tiny.write("bench-env/results/fair.book.md", report);
        let text = tiny.resolved(directive);
        assert!(text.contains(wanted) && !text.contains("##"), "{text}");
    }
    let failure = Tiny::new().failure("{{#bench fair plot 2}}");
    assert!(
        failure.contains("there is no bench-env/results/fair.book.md"),
        "{failure}"
    );
}
