//! The matrix is complete, and agrees with the list of tests and the index of flaws.

use std::collections::BTreeSet;

use crate::behaviours;
use crate::index;
use crate::matrix::{Cell, Row};

#[test]
fn every_row_has_a_cell_for_every_phase() {
    for row in behaviours::rows() {
        let starts: Vec<u8> = row.cells.iter().map(|(from, _)| *from).collect();
        assert_eq!(starts.first(), Some(&1), "{} begins at phase 1", row.name);
        assert!(starts.is_sorted_by(|a, b| a < b), "{} ascends", row.name);
        assert!(row.says.ends_with('.'), "{} says a sentence", row.name);
    }
}

/// Otherwise the row could not fail: the right value would be right everywhere.
#[test]
fn what_is_lacking_or_wrong_differs_from_what_is_right() {
    for row in behaviours::rows() {
        let cells = row.cells.iter().map(|(_, cell)| *cell);
        let (good, other): (Vec<_>, Vec<_>) = cells.partition(|cell| matches!(cell, Cell::Has(_)));
        for cell in other.iter().filter_map(|cell| cell.wanted()) {
            assert!(
                good.iter().all(|good| good.wanted() != Some(cell)),
                "{}",
                row.name
            );
        }
    }
}

#[test]
fn every_row_is_listed_under_the_phase_from_which_it_can_be_asked() {
    let mut listed: Vec<(u8, &str)> = Vec::new();
    crate::rows!("phase-18", [into listed]);

    let rows = behaviours::rows().filter_map(|row| {
        let (from, _) = row.cells.iter().find(|(_, cell)| cell.wanted().is_some())?;
        Some((*from, row.name))
    });
    let rows: BTreeSet<_> = rows.collect();
    let listed: BTreeSet<_> = listed.into_iter().collect();
    assert_eq!(listed, rows);
}

#[test]
fn every_flaw_is_seen_from_its_birth_until_its_cure() {
    let phases = index::phases();
    for born in &phases {
        for flaw in &born.flaws {
            let cure = phases.iter().find(|phase| phase.cures.contains(&flaw.id));
            for phase in &phases {
                let number = phase.number();
                let ill = number >= born.number() && cure.is_none_or(|cure| number < cure.number());
                assert_eq!(seen(&flaw.id, number), ill, "{} in phase {number}", flaw.id);
            }

            let cured =
                |row: &Row| matches!(row.cell(cure.map_or(0, index::Phase::number)), Cell::Has(_));
            let mut about = behaviours::rows()
                .filter(|row| row.cells.iter().any(|(_, cell)| is(*cell, &flaw.id)));
            assert!(
                cure.is_none() || about.any(cured),
                "{} is seen cured",
                flaw.id
            );
        }
    }
}

#[test]
fn every_flaw_of_the_matrix_is_in_the_index() {
    let phases = index::phases();
    let known: Vec<&String> = phases
        .iter()
        .flat_map(|phase| &phase.flaws)
        .map(|flaw| &flaw.id)
        .collect();
    for phase in &phases {
        for row in behaviours::rows() {
            if let Cell::Flaw(id, _) = row.cell(phase.number()) {
                assert!(
                    known.iter().any(|known| *known == id),
                    "{id} of {}",
                    row.name
                );
            }
        }
    }
}

fn seen(id: &str, phase: u8) -> bool {
    behaviours::rows().any(|row| is(row.cell(phase), id))
}

fn is(cell: Cell, id: &str) -> bool {
    matches!(cell, Cell::Flaw(known, _) if known == id)
}
