//! Report as JUnit XML: one test case per citation.

use std::io::Write;

use citations::{DisplayState, escaped};

use super::VerifyNotice;
use super::check::CheckedCitation;
use super::table::{cut, phrase, place};
use crate::command_error::CommandError;

/// Limit on the characters of a quote in the name of a test case.
const MAX_QUOTE: usize = 120;

/// Prints one suite. `is_accepted` selects the citations that count as passed.
pub(super) fn print(
    checked: &[CheckedCitation],
    notices: &[VerifyNotice],
    is_accepted: impl Fn(&CheckedCitation) -> bool,
    out: &mut impl Write,
) -> Result<(), CommandError> {
    let unread: Vec<&VerifyNotice> = notices
        .iter()
        .filter(|notice| notice.code == "unreadable_source")
        .collect();
    let failures = checked
        .iter()
        .filter(|citation| !is_accepted(citation))
        .count();
    let counts = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"{}\" skipped=\"0\"",
        checked.len() + unread.len(),
        unread.len()
    );
    writeln!(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n  <testsuite name=\"pincite verify\" {counts}>"
    )?;
    for citation in checked {
        write_case(citation, is_accepted(citation), out)?;
    }
    for notice in unread {
        writeln!(
            out,
            "    <testcase classname=\"sources\" name=\"source can be read\"><error type=\"{}\" message=\"{}\"/></testcase>",
            notice.code,
            escaped(&notice.message)
        )?;
    }
    writeln!(out, "  </testsuite>\n</testsuites>")?;
    out.flush()?;
    Ok(())
}

/// Writes the test case of one citation.
fn write_case(
    citation: &CheckedCitation,
    is_accepted: bool,
    out: &mut impl Write,
) -> std::io::Result<()> {
    let source = citation.source.as_deref();
    let source = source.or(citation.claim.citation.attachment_id.as_deref());
    let marker = citation.claim.marker.as_deref().unwrap_or_default();
    let name = format!("{marker} “{}”", cut(phrase(citation), MAX_QUOTE));
    let line = citation.claim.position.map_or(String::new(), |position| {
        format!(" line=\"{}\"", position.line)
    });
    write!(
        out,
        "    <testcase classname=\"{}\" name=\"{}\"{line}",
        escaped(source.unwrap_or("no source")),
        escaped(name.trim())
    )?;
    let mut message = citation.words().to_owned();
    if let Some(place) = place(citation) {
        message.push_str(&format!(", {place}"));
    }
    if let Some(reason) = citation.reason() {
        message.push_str(&format!("; {reason}"));
    }
    if is_accepted && citation.state() == DisplayState::Verified {
        writeln!(out, "/>")
    } else if is_accepted {
        writeln!(
            out,
            "><system-out>{}</system-out></testcase>",
            escaped(&message)
        )
    } else {
        let status = citation.verdict.status();
        let source_text = citation
            .verdict
            .nearest
            .as_ref()
            .map_or(String::new(), |near| {
                format!("the source says “{}”", cut(&near.text, 2 * MAX_QUOTE))
            });
        writeln!(
            out,
            "><failure type=\"{}\" message=\"{}\">{}</failure></testcase>",
            escaped(status.name(citations::SdkVersion::V2)),
            escaped(&message),
            escaped(&source_text)
        )
    }
}
