//! Verdicts as one page that can be sent: the answer, each citation with what the source says, pictures.
//!
//! Everything is in the file, nothing is loaded, and there is no script.

mod entry;
mod pictures;
mod text;

use std::collections::HashMap;
use std::io::{BufWriter, Write};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use citations::escaped;
use sandbox::PageImageFile;

use super::answer::AnswerClaims;
use super::check::CheckedCitation;
use super::sources::SourceSet;
use super::table::summary;
use super::{VERSION, VerifyNotice};
use crate::failure::CommandError;
use crate::opening::{OpenContext, file_name};
use pictures::ReportImages;

const STYLE: &str = include_str!("report.css");

/// What a report tells of.
pub(super) struct HtmlReport<'a> {
    pub(super) answer: Option<&'a Path>,
    pub(super) claims: &'a AnswerClaims,
    pub(super) outcomes: &'a [CheckedCitation],
    pub(super) sources: &'a SourceSet,
    pub(super) troubles: &'a [VerifyNotice],
}

/// What belongs to what.
struct ReportLinks {
    /// By citation: the places of the answer that cite it.
    chips: Vec<Vec<usize>>,
    /// By source: how many citations were found there, or nearly.
    quoted: HashMap<u64, usize>,
}

impl HtmlReport<'_> {
    fn threads(&self) -> ReportLinks {
        let mut threads = ReportLinks {
            chips: vec![Vec::new(); self.outcomes.len()],
            quoted: HashMap::new(),
        };
        let chips = self.claims.shown.iter().flat_map(|shown| &shown.chips);
        for (at, chip) in chips.enumerate() {
            if let Some(own) = threads.chips.get_mut(chip.claim) {
                own.push(at);
            }
        }
        for number in self.outcomes.iter().filter_map(|outcome| outcome.number) {
            *threads.quoted.entry(number).or_default() += 1;
        }
        threads
    }

    /// Draws the pictures and prints the page.
    pub(super) fn print(&self, opening: &OpenContext) -> Result<(), CommandError> {
        let album = ReportImages::of(self.outcomes, self.sources, opening);
        let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
        self.write(&album, &mut out)?;
        out.flush()?;
        Ok(())
    }

    fn write(&self, album: &ReportImages, out: &mut impl Write) -> std::io::Result<()> {
        let threads = self.threads();
        let title = self.answer.map_or("Citations".to_owned(), file_name);
        let title = escaped(&title);
        let told = match self.outcomes {
            [] => "No citation was found".to_owned(),
            outcomes => summary(outcomes),
        };
        write!(
            out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"pincite {VERSION}\">\n\
             <title>{title}: {told}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
             <a class=\"skip\" href=\"#citations\">Skip to the citations</a>\n\
             <header>\n<h1 dir=\"auto\">{title}</h1>\n<p class=\"told\">{told}</p>\n",
        )?;
        self.write_contents(album, out)?;
        writeln!(out, "</header>\n<main>")?;
        self.write_answer(out)?;
        self.write_citations(album, &threads, out)?;
        self.write_pages(album, out)?;
        self.write_problems(out)?;
        self.write_sources(&threads, out)?;
        writeln!(
            out,
            "</main>\n<footer><p>Made by pincite {VERSION}. <em>Verified</em> means that the words are in the \
             source; it does not say that the source is right, or that it bears out what is said of it.</p></footer>\n</body>\n</html>"
        )
    }

    fn write_contents(&self, album: &ReportImages, out: &mut impl Write) -> std::io::Result<()> {
        let parts = [
            ("answer", "Answer", self.claims.shown.is_some()),
            ("citations", "Citations", !self.outcomes.is_empty()),
            ("pages", "Pages", !album.pages.is_empty()),
            ("problems", "Problems", !self.troubles.is_empty()),
            ("sources", "Sources", true),
        ];
        write!(out, "<nav aria-label=\"Parts of this report\"><ul>")?;
        for (id, name, _) in parts.iter().filter(|(_, _, there)| *there) {
            write!(out, "<li><a href=\"#{id}\">{name}</a></li>")?;
        }
        writeln!(out, "</ul></nav>")
    }

    fn write_answer(&self, out: &mut impl Write) -> std::io::Result<()> {
        let Some(shown) = &self.claims.shown else {
            return Ok(());
        };
        let html = text::html(shown, |at, in_link| self.chip(at, in_link));
        writeln!(
            out,
            "<section id=\"answer\" aria-labelledby=\"answer-head\">\n<h2 id=\"answer-head\">Answer</h2>\n\
             <div class=\"answer\">\n{html}</div>\n</section>"
        )
    }

    /// A place in the answer that cites: a link to the entry, unless it stands in a link.
    fn chip(&self, at: usize, in_link: bool) -> String {
        let Some((chip, outcome)) = self.claims.shown.as_ref().and_then(|shown| {
            let chip = shown.chips.get(at)?;
            Some((chip, self.outcomes.get(chip.claim)?))
        }) else {
            return String::new();
        };
        let (state, number) = (outcome.state(), chip.claim + 1);
        let label = chip.label.clone().unwrap_or_else(|| number.to_string());
        let (class, sign) = (state.name(), state.sign());
        let inner = format!(
            "{}<span class=\"sign\" aria-hidden=\"true\">{sign}</span>",
            escaped(&label)
        );
        let words = outcome.words();
        match in_link {
            true => format!("<span class=\"chip {class}\" title=\"{words}\">{inner}</span>"),
            false => format!(
                "<a class=\"chip {class}\" id=\"m{at}\" href=\"#c{number}\" title=\"{words}\" \
                 aria-label=\"{label}, citation {number}: {words}\">{inner}</a>",
                label = escaped(&label)
            ),
        }
    }

    fn write_citations(
        &self,
        album: &ReportImages,
        threads: &ReportLinks,
        out: &mut impl Write,
    ) -> std::io::Result<()> {
        writeln!(
            out,
            "<section id=\"citations\" aria-labelledby=\"citations-head\" tabindex=\"-1\">\n<h2 id=\"citations-head\">Citations</h2>"
        )?;
        if self.outcomes.is_empty() {
            writeln!(out, "<p>There is no citation, so nothing was checked.</p>")?;
        } else {
            writeln!(out, "<ol class=\"entries\">")?;
            for (at, chips) in threads.chips.iter().enumerate() {
                self.write_entry(at, chips, album, out)?;
            }
            writeln!(out, "</ol>")?;
        }
        writeln!(out, "</section>")
    }

    fn write_pages(&self, album: &ReportImages, out: &mut impl Write) -> std::io::Result<()> {
        if album.pages.is_empty() {
            return Ok(());
        }
        writeln!(
            out,
            "<section id=\"pages\" aria-labelledby=\"pages-head\">\n<h2 id=\"pages-head\">Pages</h2>"
        )?;
        let all = self.sources.all().iter();
        let names: HashMap<u64, (&str, &str)> = all
            .map(|source| {
                (
                    source.number,
                    (source.id.as_str(), source.document.rendered_page_word()),
                )
            })
            .collect();
        for ((number, page), picture) in &album.pages {
            let (name, word) = names.get(number).copied().unwrap_or_default();
            let name = escaped(name);
            let image = image(
                picture,
                1.0,
                &format!("{name}, {word} {page}, with what is quoted marked"),
            );
            writeln!(
                out,
                "<details><summary><bdi>{name}</bdi>, {word} {page}</summary>\n\
                 <figure id=\"p{number}-{page}\" tabindex=\"-1\">{image}</figure></details>"
            )?;
        }
        writeln!(out, "</section>")
    }

    fn write_problems(&self, out: &mut impl Write) -> std::io::Result<()> {
        if self.troubles.is_empty() {
            return Ok(());
        }
        writeln!(
            out,
            "<section id=\"problems\" aria-labelledby=\"problems-head\">\n<h2 id=\"problems-head\">Problems</h2>\n<ul>"
        )?;
        for trouble in self.troubles {
            writeln!(out, "<li dir=\"auto\">{}</li>", escaped(&trouble.message))?;
        }
        writeln!(out, "</ul>\n</section>")
    }

    fn write_sources(&self, threads: &ReportLinks, out: &mut impl Write) -> std::io::Result<()> {
        writeln!(
            out,
            "<section id=\"sources\" aria-labelledby=\"sources-head\">\n<h2 id=\"sources-head\">Sources</h2>\n\
             <div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Table of sources\"><table>\n<thead><tr>\
             <th scope=\"col\">Source</th><th scope=\"col\">Title</th><th scope=\"col\">Kind</th><th scope=\"col\">Pages</th>\
             <th scope=\"col\">Quoted</th><th scope=\"col\">Content</th></tr></thead>\n<tbody>"
        )?;
        for source in self.sources.all() {
            let quoted = threads.quoted.get(&source.number).copied();
            let document = &source.document;
            let id = document.id().to_string();
            writeln!(
                out,
                "<tr><th scope=\"row\"><bdi>{}</bdi></th><td><bdi>{}</bdi></td><td>{}</td><td>{}</td><td>{}</td>\
                 <td><code title=\"{id}\">{}</code></td></tr>",
                escaped(&source.id),
                escaped(document.title().unwrap_or_default()),
                escaped(document.media_type()),
                document.pages().len(),
                quoted.unwrap_or_default(),
                id.get(..12).unwrap_or(&id),
            )?;
        }
        writeln!(out, "</tbody>\n</table></div>\n</section>")
    }
}

/// A picture in the file itself, so many pixels of which are one of the page. The text is escaped already.
fn image(picture: &PageImageFile, scale: f32, alt: &str) -> String {
    let length = |pixels: u32| (pixels as f32 / scale).round() as u32;
    format!(
        "<img alt=\"{alt}\" width=\"{}\" height=\"{}\" decoding=\"async\" src=\"data:{};base64,{}\">",
        length(picture.width),
        length(picture.height),
        picture.format.media_type(),
        STANDARD.encode(&picture.bytes)
    )
}
