//! One citation of a report.

use std::io::Write;

use citations::check::DiffSpan;
use citations::{DisplayState, difference, escaped};

use super::super::table::{cut, phrase, place, spot};
use super::pictures::{ReportImages, STRIP_SCALE};
use super::{HtmlReport, image};

/// How much of a quote stands in the text for a picture.
const ALT: usize = 200;
/// How many links lead back to the answer.
const BACK: usize = 12;

impl HtmlReport<'_> {
    pub(super) fn write_entry(
        &self,
        at: usize,
        chips: &[usize],
        album: &ReportImages,
        out: &mut impl Write,
    ) -> std::io::Result<()> {
        let Some(outcome) = self.outcomes.get(at) else {
            return Ok(());
        };
        let (state, number) = (outcome.state(), at + 1);
        writeln!(
            out,
            "<li id=\"c{number}\" class=\"entry {}\" tabindex=\"-1\"><article aria-labelledby=\"h{number}\">\n\
             <h3 id=\"h{number}\"><span class=\"number\">{number}</span> \
             <span class=\"state\"><span aria-hidden=\"true\">{}</span> {}</span></h3>",
            state.name(),
            state.sign(),
            outcome.words(),
        )?;
        writeln!(
            out,
            "<blockquote dir=\"auto\"><p>{}</p></blockquote>",
            escaped(phrase(outcome))
        )?;
        if let Some(place) = place(outcome) {
            writeln!(out, "<p class=\"place\"><bdi>{}</bdi></p>", escaped(&place))?;
        } else if outcome.is_source_missing() {
            let name = outcome.claim.citation.attachment_id.as_deref();
            writeln!(
                out,
                "<p class=\"place\">It should be in <bdi>{}</bdi>, which is not among the sources.</p>",
                escaped(name.unwrap_or("a source"))
            )?;
        }
        if let Some(reason) = outcome.reason() {
            writeln!(
                out,
                "<p class=\"grave\" dir=\"auto\">{}</p>",
                escaped(&reason)
            )?;
        }
        if let Some(page) = outcome.verdict.page_outside {
            writeln!(
                out,
                "<p class=\"grave\">the citation names page {page}, which the source does not have</p>"
            )?;
        }
        if matches!(state, DisplayState::Partly | DisplayState::Missing) {
            self.write_difference(at, out)?;
        }
        self.write_picture(at, album, out)?;
        write_way_back(at, chips, out)?;
        writeln!(out, "</article></li>")
    }

    fn write_difference(&self, at: usize, out: &mut impl Write) -> std::io::Result<()> {
        let verdict = &self.outcomes[at].verdict;
        if verdict.diff.iter().any(DiffSpan::differs) {
            writeln!(
                out,
                "<p class=\"diff\" dir=\"auto\"><span class=\"key\">the quote, and the source:</span> {}</p>",
                difference(&verdict.diff)
            )?;
        }
        if let Some(nearest) = &verdict.nearest {
            let source = self.outcomes[at].source.as_deref().unwrap_or_default();
            writeln!(
                out,
                "<p class=\"place\">nearest: <bdi>{}</bdi>, {}</p>",
                escaped(source),
                escaped(&spot(nearest))
            )?;
        }
        Ok(())
    }

    fn write_picture(
        &self,
        at: usize,
        album: &ReportImages,
        out: &mut impl Write,
    ) -> std::io::Result<()> {
        let outcome = &self.outcomes[at];
        let found = outcome.verdict.passages.first();
        let shown = found.or(outcome.verdict.nearest.as_ref());
        let (Some(strip), Some(shown)) = (album.strips.get(&at), shown) else {
            return Ok(());
        };
        let place = escaped(&spot(shown));
        let source = escaped(outcome.source.as_deref().unwrap_or_default());
        let picture = match &strip.picture {
            Ok(picture) => picture,
            Err(reason) => {
                return writeln!(
                    out,
                    "<p class=\"place\">There is no picture: {}.</p>",
                    escaped(reason)
                );
            }
        };
        let what = match found {
            Some(_) => "marked",
            None => "the nearest passage is marked",
        };
        let alt = format!(
            "{source}, {place}; {what}: “{}”",
            escaped(&cut(&shown.text, ALT))
        );
        let mut sources = self.sources.all().iter();
        let own = sources.find(|source| Some(source.number) == outcome.number);
        let word = own.map_or("page", |source| source.document.rendered_page_word());
        write!(
            out,
            "<figure>{}<figcaption><bdi>{source}</bdi>, {word} {}",
            image(picture, STRIP_SCALE, &alt),
            strip.sheet
        )?;
        let key = outcome.number.map(|number| (number, strip.sheet));
        if let Some((number, sheet)) = key.filter(|key| album.pages.contains_key(key)) {
            write!(
                out,
                " · <a href=\"#p{number}-{sheet}\" aria-label=\"the whole page of {source} around it\">the whole page</a>"
            )?;
        }
        writeln!(out, "</figcaption></figure>")
    }
}

/// Links to the places of the answer that cite.
fn write_way_back(at: usize, chips: &[usize], out: &mut impl Write) -> std::io::Result<()> {
    if chips.is_empty() {
        return Ok(());
    }
    write!(out, "<p class=\"back\">")?;
    for (nth, chip) in chips.iter().take(BACK).enumerate() {
        let which = match chips.len() {
            1 => String::new(),
            _ => format!(" ({})", nth + 1),
        };
        write!(
            out,
            "<a href=\"#m{chip}\" aria-label=\"in the answer{which}, citation {}\">\
             <span aria-hidden=\"true\">↑</span> in the answer{which}</a> ",
            at + 1
        )?;
    }
    writeln!(out, "</p>")
}
