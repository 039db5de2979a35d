//! Settles conflicts in which the two edits only touch.
//!
//! Git calls it a conflict when one side changes a line and the other adds lines right below it. In
//! a series of phases that is the common case: a later phase adds a constant after the one that an
//! earlier phase corrects. Both edits are kept, since neither takes anything from the other.

/// Settles what can be settled in a merged text; the answer also says whether a conflict is left.
pub(super) fn settle(merged: &str, labels: [&str; 3]) -> (String, bool) {
    let [ours, base, theirs] = labels;
    let (start, middle) = (format!("<<<<<<< {ours}\n"), format!("||||||| {base}\n"));
    let (turn, end) = ("=======\n", format!(">>>>>>> {theirs}\n"));
    let (mut settled, mut conflict) = (String::new(), false);
    let mut rest = merged;
    while let Some((before, after)) = rest.split_once(&start) {
        let parts = after.split_once(&middle).and_then(|(ours, after)| {
            let (base, after) = split_line(after, turn)?;
            let (theirs, after) = after.split_once(&end)?;
            Some((ours, base, theirs, after))
        });
        let Some((ours, base, theirs, after)) = parts else {
            break;
        };
        settled.push_str(before);
        if let Some(both) = keep_both(ours, base, theirs) {
            settled.push_str(&both);
        } else {
            conflict = true;
            settled.push_str(&[&start, ours, &middle, base, turn, theirs, &end].concat());
        }
        rest = after;
    }
    settled.push_str(rest);
    (settled, conflict)
}

/// Splits at a whole line: a comment may end like a marker.
fn split_line<'a>(text: &'a str, line: &str) -> Option<(&'a str, &'a str)> {
    let starts = text.match_indices(line).map(|(start, _)| start);
    let start = starts
        .into_iter()
        .find(|start| *start == 0 || text[..*start].ends_with('\n'))?;
    Some((&text[..start], &text[start + line.len()..]))
}

fn keep_both(ours: &str, base: &str, theirs: &str) -> Option<String> {
    match (added_around(base, ours), added_around(base, theirs)) {
        (Some((above, below)), None) if !theirs.is_empty() => Some([above, theirs, below].concat()),
        (None, Some((above, below))) if !ours.is_empty() => Some([above, ours, below].concat()),
        // Two additions at one place could go either way round.
        (Some((our_above, our_below)), Some((their_above, their_below)))
            if (our_above.is_empty() || their_above.is_empty())
                && (our_below.is_empty() || their_below.is_empty()) =>
        {
            Some([our_above, their_above, base, our_below, their_below].concat())
        }
        _ => None,
    }
}

/// What `text` adds above and below the lines of `base`, if it holds them once and unchanged.
fn added_around<'a>(base: &str, text: &'a str) -> Option<(&'a str, &'a str)> {
    if base.is_empty() || text.matches(base).count() != 1 {
        return None;
    }
    text.split_once(base)
        .filter(|(above, _)| above.is_empty() || above.ends_with('\n'))
}

#[cfg(test)]
mod tests;
