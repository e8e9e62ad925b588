//! Verdicts for build servers: JUnit XML, one test case per citation.

use std::io::{BufWriter, Write};

use citations::{DisplayState, escaped};

use super::VerifyNotice;
use super::check::CheckedCitation;
use super::table::{cut, phrase, place};
use crate::failure::CommandError;

/// How much of a quote names a test case.
const QUOTE: usize = 120;

/// Prints one suite. `fine` says which citations count as passed.
pub(super) fn print(
    outcomes: &[CheckedCitation],
    troubles: &[VerifyNotice],
    fine: impl Fn(&CheckedCitation) -> bool,
) -> Result<(), CommandError> {
    let unread: Vec<&VerifyNotice> = troubles
        .iter()
        .filter(|trouble| trouble.code == "unreadable_source")
        .collect();
    let failures = outcomes.iter().filter(|outcome| !fine(outcome)).count();
    let counts = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"{}\" skipped=\"0\"",
        outcomes.len() + unread.len(),
        unread.len()
    );
    let mut out = BufWriter::new(std::io::stdout().lock());
    writeln!(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n  <testsuite name=\"pincite verify\" {counts}>"
    )?;
    for outcome in outcomes {
        let source = outcome.source.as_deref();
        let source = source.or(outcome.claim.citation.attachment_id.as_deref());
        let marker = outcome.claim.marker.as_deref().unwrap_or_default();
        let name = format!("{marker} “{}”", cut(phrase(outcome), QUOTE));
        let line = outcome.claim.position.map_or(String::new(), |position| {
            format!(" line=\"{}\"", position.line)
        });
        write!(
            out,
            "    <testcase classname=\"{}\" name=\"{}\"{line}",
            escaped(source.unwrap_or("no source")),
            escaped(name.trim())
        )?;
        let mut said = outcome.words().to_owned();
        if let Some(place) = place(outcome) {
            said.push_str(&format!(", {place}"));
        }
        if let Some(reason) = outcome.reason() {
            said.push_str(&format!("; {reason}"));
        }
        if fine(outcome) && outcome.state() == DisplayState::Verified {
            writeln!(out, "/>")?;
        } else if fine(outcome) {
            writeln!(
                out,
                "><system-out>{}</system-out></testcase>",
                escaped(&said)
            )?;
        } else {
            let status = outcome.verdict.status();
            let source_says = outcome
                .verdict
                .nearest
                .as_ref()
                .map_or(String::new(), |near| {
                    format!("the source says “{}”", cut(&near.text, 2 * QUOTE))
                });
            writeln!(
                out,
                "><failure type=\"{}\" message=\"{}\">{}</failure></testcase>",
                escaped(status.name(citations::SdkVersion::V2)),
                escaped(&said),
                escaped(&source_says)
            )?;
        }
    }
    for trouble in unread {
        writeln!(
            out,
            "    <testcase classname=\"sources\" name=\"source can be read\"><error type=\"{}\" message=\"{}\"/></testcase>",
            trouble.code,
            escaped(&trouble.message)
        )?;
    }
    writeln!(out, "  </testsuite>\n</testsuites>")?;
    out.flush()?;
    Ok(())
}
