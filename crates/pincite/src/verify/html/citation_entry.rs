//! Entry of one citation in a report.

use std::io::Write;

use citations::check::DiffSpan;
use citations::{DisplayState, difference, escaped};

use super::super::table::{cut, phrase, place, spot};
use super::images::{ReportImages, STRIP_SCALE};
use super::{HtmlReport, ReportLinks, image_tag};

/// Limit on the characters of a quote in the alternative text of an image.
const MAX_ALT: usize = 200;
/// Limit on the links from an entry back to the answer.
const MAX_BACK_LINKS: usize = 12;

/// Writes the entry of the citation with index `at`.
pub(super) fn write(
    report: &HtmlReport<'_>,
    at: usize,
    links: &ReportLinks,
    images: &ReportImages,
    out: &mut impl Write,
) -> std::io::Result<()> {
    let Some(citation) = report.checked.get(at) else {
        return Ok(());
    };
    let (state, number) = (citation.state(), links.numbers[at]);
    writeln!(
        out,
        "<li id=\"c{number}\" class=\"entry {}\" tabindex=\"-1\"><article aria-labelledby=\"h{number}\">\n\
         <h3 id=\"h{number}\"><span class=\"number\">{number}</span> \
         <span class=\"state\"><span aria-hidden=\"true\">{}</span> {}</span></h3>",
        state.name(),
        state.sign(),
        citation.words(),
    )?;
    writeln!(
        out,
        "<blockquote dir=\"auto\"><p>{}</p></blockquote>",
        escaped(phrase(citation))
    )?;
    if let Some(place) = place(citation) {
        writeln!(out, "<p class=\"place\"><bdi>{}</bdi></p>", escaped(&place))?;
    } else if citation.is_source_missing() {
        let name = citation.claim.citation.attachment_id.as_deref();
        writeln!(
            out,
            "<p class=\"place\">The citation names <bdi>{}</bdi>, which is not among the sources.</p>",
            escaped(name.unwrap_or("a source"))
        )?;
    }
    if let Some(reason) = citation.reason() {
        writeln!(
            out,
            "<p class=\"reason\" dir=\"auto\">{}</p>",
            escaped(&reason)
        )?;
    }
    if let Some(page) = &citation.verdict.page_outside {
        writeln!(
            out,
            "<p class=\"reason\">the citation names page {}, but the source has no such page</p>",
            escaped(page)
        )?;
    }
    if matches!(state, DisplayState::Partly | DisplayState::Missing) {
        write_difference(report, at, out)?;
    }
    write_image(report, at, images, out)?;
    write_marker(report, at, number, out)?;
    write_back_links(number, &links.chips[at], out)?;
    writeln!(out, "</article></li>")
}

fn write_difference(
    report: &HtmlReport<'_>,
    at: usize,
    out: &mut impl Write,
) -> std::io::Result<()> {
    let verdict = &report.checked[at].verdict;
    if verdict.diff.iter().any(DiffSpan::differs) {
        writeln!(
            out,
            "<p class=\"diff\" dir=\"auto\"><span class=\"key\">quote and source:</span> {}</p>",
            difference(&verdict.diff)
        )?;
    }
    Ok(())
}

fn write_image(
    report: &HtmlReport<'_>,
    at: usize,
    images: &ReportImages,
    out: &mut impl Write,
) -> std::io::Result<()> {
    let citation = &report.checked[at];
    let found = citation.verdict.passages.first();
    let shown = found.or(citation.verdict.nearest.as_ref());
    let (Some(strip), Some(shown)) = (images.strips.get(&at), shown) else {
        return Ok(());
    };
    let place = escaped(&spot(shown));
    let source = escaped(citation.source.as_deref().unwrap_or_default());
    let image = match &strip.image {
        Ok(image) => image,
        Err(reason) => {
            return writeln!(out, "<p class=\"place\">No image: {}.</p>", escaped(reason));
        }
    };
    let what = match found {
        Some(_) => "highlighted",
        None => "highlighted, the nearest passage",
    };
    let alt = format!(
        "{source}, {place}; {what}: “{}”",
        escaped(&cut(&shown.text, MAX_ALT))
    );
    let mut sources = report.sources.all().iter();
    let own = sources.find(|source| Some(source.number) == citation.number);
    let word = own.map_or("page", |source| source.document.rendered_page_word());
    write!(
        out,
        "<figure>{}<figcaption><bdi>{source}</bdi>, {word} {}",
        image_tag(image, STRIP_SCALE, &alt),
        strip.rendered_page
    )?;
    let key = citation.number.map(|number| (number, strip.rendered_page));
    if let Some((number, sheet)) = key.filter(|key| images.pages.contains_key(key)) {
        write!(
            out,
            " · <a href=\"#p{number}-{sheet}\" aria-label=\"the whole page of {source}\">the whole page</a>"
        )?;
    }
    writeln!(out, "</figcaption></figure>")
}

/// Writes the marker of a citation that has another number in the report.
fn write_marker(
    report: &HtmlReport<'_>,
    at: usize,
    number: u64,
    out: &mut impl Write,
) -> std::io::Result<()> {
    let marker = report.checked[at].claim.marker.as_deref();
    let is_other = |marker: &&str| {
        let label = marker.trim_matches(['[', ']', '^']);
        label != number.to_string() && !marker.contains('(')
    };
    match marker.filter(is_other) {
        Some(marker) => writeln!(
            out,
            "<p class=\"place\">The answer marks it <code>{}</code>.</p>",
            escaped(&cut(marker, 40))
        ),
        None => Ok(()),
    }
}

/// Writes links back to the citation in the answer.
fn write_back_links(number: u64, chips: &[usize], out: &mut impl Write) -> std::io::Result<()> {
    if chips.is_empty() {
        return Ok(());
    }
    write!(out, "<p class=\"back\">")?;
    for (nth, chip) in chips.iter().take(MAX_BACK_LINKS).enumerate() {
        let which = match chips.len() {
            1 => String::new(),
            _ => format!(" ({})", nth + 1),
        };
        write!(
            out,
            "<a href=\"#m{chip}\" aria-label=\"in the answer{which}, citation {number}\">\
             <span aria-hidden=\"true\">↑</span> in the answer{which}</a> "
        )?;
    }
    writeln!(out, "</p>")
}
