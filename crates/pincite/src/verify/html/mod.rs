//! Report as one HTML page: the answer, its citations with the words of the source, images.
//!
//! The page is self-contained: it loads nothing and has no script.

mod answer_text;
mod citation_entry;
mod images;

use std::collections::HashMap;
use std::io::Write;
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
use crate::command_error::CommandError;
use crate::document_reader::{ReaderContext, file_name};
use images::ReportImages;

const STYLE: &str = include_str!("report.css");

/// Content of a report.
pub(super) struct HtmlReport<'a> {
    pub(super) answer: Option<&'a Path>,
    pub(super) claims: &'a AnswerClaims,
    pub(super) checked: &'a [CheckedCitation],
    pub(super) sources: &'a SourceSet,
    pub(super) notices: &'a [VerifyNotice],
}

/// Links between the parts of a report.
struct ReportLinks {
    /// Chips of the answer by citation.
    chips: Vec<Vec<usize>>,
    /// Citations in the order of their numbers.
    order: Vec<usize>,
    /// Numbers of the citations, which the chips and the entries show.
    numbers: Vec<u64>,
    /// Number of citations with their best match in a source, by source number.
    quoted: HashMap<u64, usize>,
}

impl HtmlReport<'_> {
    fn links(&self) -> ReportLinks {
        let (order, numbers) = self.numbers();
        let mut links = ReportLinks {
            chips: vec![Vec::new(); self.checked.len()],
            order,
            numbers,
            quoted: HashMap::new(),
        };
        let chips = self.claims.visible.iter().flat_map(|answer| &answer.chips);
        for (at, chip) in chips.enumerate() {
            if let Some(own) = links.chips.get_mut(chip.claim) {
                own.push(at);
            }
        }
        for number in self.checked.iter().filter_map(|citation| citation.number) {
            *links.quoted.entry(number).or_default() += 1;
        }
        links
    }

    /// Returns the citations in the order of the answer, and the number of each.
    ///
    /// The numbers are those of the markers if every chip has one, each belongs to one citation, and they ascend.
    /// Otherwise citations are counted from 1.
    fn numbers(&self) -> (Vec<usize>, Vec<u64>) {
        let chips: Vec<_> = self
            .claims
            .visible
            .iter()
            .flat_map(|answer| &answer.chips)
            .collect();
        let mut first: Vec<Option<u64>> = vec![None; self.checked.len()];
        let mut order: Vec<usize> = Vec::with_capacity(self.checked.len());
        let mut is_numbered = !chips.is_empty();
        for chip in &chips {
            let Some(own) = first.get_mut(chip.claim) else {
                continue;
            };
            match own {
                Some(number) => is_numbered &= chip.number == Some(*number),
                None => {
                    let last = order.last().copied();
                    *own = Some(chip.number.unwrap_or(0));
                    order.push(chip.claim);
                    is_numbered &= chip.number > last.and_then(|last: usize| first[last]);
                }
            }
        }
        order.extend((0..self.checked.len()).filter(|claim| first[*claim].is_none()));
        let mut numbers = vec![0; self.checked.len()];
        let mut next = 1;
        for &claim in &order {
            let own = first[claim].filter(|_| is_numbered);
            numbers[claim] = own.unwrap_or(next);
            next = numbers[claim].saturating_add(1);
        }
        (order, numbers)
    }

    /// Renders the images and prints the page.
    pub(super) fn print(
        &self,
        context: &ReaderContext,
        out: &mut impl Write,
    ) -> Result<(), CommandError> {
        let images = ReportImages::render(self.checked, self.sources, context);
        self.write(&images, out)?;
        out.flush()?;
        Ok(())
    }

    fn write(&self, images: &ReportImages, out: &mut impl Write) -> std::io::Result<()> {
        let links = self.links();
        let title = self.answer.map_or("Citations".to_owned(), file_name);
        let title = escaped(&title);
        let result = match self.checked {
            [] => "No citations".to_owned(),
            checked => summary(checked),
        };
        write!(
            out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"pincite {VERSION}\">\n\
             <title>{title}: {result}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
             <a class=\"skip\" href=\"#citations\">Skip to the citations</a>\n\
             <header>\n<h1 dir=\"auto\">{title}</h1>\n<p class=\"result\">{result}</p>\n",
        )?;
        self.write_contents(images, out)?;
        writeln!(out, "</header>\n<main>")?;
        self.write_answer(&links, out)?;
        self.write_citations(images, &links, out)?;
        self.write_pages(images, out)?;
        self.write_problems(out)?;
        self.write_sources(&links, out)?;
        writeln!(
            out,
            "</main>\n<footer><p>Created by pincite {VERSION}. <em>Verified</em> means that the quoted words are in \
             the source. It does not mean that the source is right or that it supports the statement.</p></footer>\n</body>\n</html>"
        )
    }

    fn write_contents(&self, images: &ReportImages, out: &mut impl Write) -> std::io::Result<()> {
        let parts = [
            ("answer", "Answer", self.claims.visible.is_some()),
            ("citations", "Citations", !self.checked.is_empty()),
            ("pages", "Pages", !images.pages.is_empty()),
            ("problems", "Problems", !self.notices.is_empty()),
            ("sources", "Sources", true),
        ];
        write!(out, "<nav aria-label=\"Parts of this report\"><ul>")?;
        for (id, name, _) in parts.iter().filter(|(_, _, exists)| *exists) {
            write!(out, "<li><a href=\"#{id}\">{name}</a></li>")?;
        }
        writeln!(out, "</ul></nav>")
    }

    fn write_answer(&self, links: &ReportLinks, out: &mut impl Write) -> std::io::Result<()> {
        let Some(answer) = &self.claims.visible else {
            return Ok(());
        };
        let html = answer_text::html(answer, |at, in_link| self.chip(at, in_link, links));
        writeln!(
            out,
            "<section id=\"answer\" aria-labelledby=\"answer-head\">\n<h2 id=\"answer-head\">Answer</h2>\n\
             <div class=\"answer\">\n{html}</div>\n</section>"
        )
    }

    /// Returns a citation in the answer: a link to its entry, or plain text inside another link.
    fn chip(&self, at: usize, in_link: bool, links: &ReportLinks) -> String {
        let Some((chip, citation)) = self.claims.visible.as_ref().and_then(|answer| {
            let chip = answer.chips.get(at)?;
            Some((chip, self.checked.get(chip.claim)?))
        }) else {
            return String::new();
        };
        let (state, number) = (citation.state(), links.numbers[chip.claim]);
        let words = chip
            .words
            .as_deref()
            .map_or(String::new(), |words| format!("{} ", escaped(words)));
        let (class, sign) = (state.name(), state.sign());
        let inner =
            format!("{words}{number}<span class=\"sign\" aria-hidden=\"true\">{sign}</span>");
        let result = citation.words();
        match in_link {
            true => format!("<span class=\"chip {class}\" title=\"{result}\">{inner}</span>"),
            false => format!(
                "<a class=\"chip {class}\" id=\"m{at}\" href=\"#c{number}\" title=\"{result}\" \
                 aria-label=\"{words}citation {number}: {result}\">{inner}</a>"
            ),
        }
    }

    fn write_citations(
        &self,
        images: &ReportImages,
        links: &ReportLinks,
        out: &mut impl Write,
    ) -> std::io::Result<()> {
        writeln!(
            out,
            "<section id=\"citations\" aria-labelledby=\"citations-head\" tabindex=\"-1\">\n<h2 id=\"citations-head\">Citations</h2>"
        )?;
        if self.checked.is_empty() {
            writeln!(
                out,
                "<p>The answer contains no citations; nothing was checked.</p>"
            )?;
        } else {
            writeln!(out, "<ol class=\"entries\">")?;
            for &at in &links.order {
                citation_entry::write(self, at, links, images, out)?;
            }
            writeln!(out, "</ol>")?;
        }
        writeln!(out, "</section>")
    }

    fn write_pages(&self, images: &ReportImages, out: &mut impl Write) -> std::io::Result<()> {
        if images.pages.is_empty() {
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
        for ((number, page), image) in &images.pages {
            let (name, word) = names.get(number).copied().unwrap_or_default();
            let name = escaped(name);
            let image = image_tag(
                image,
                1.0,
                &format!("{name}, {word} {page}, with the quotes highlighted"),
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
        if self.notices.is_empty() {
            return Ok(());
        }
        writeln!(
            out,
            "<section id=\"problems\" aria-labelledby=\"problems-head\">\n<h2 id=\"problems-head\">Problems</h2>\n<ul>"
        )?;
        for notice in self.notices {
            writeln!(out, "<li dir=\"auto\">{}</li>", escaped(&notice.message))?;
        }
        writeln!(out, "</ul>\n</section>")
    }

    fn write_sources(&self, links: &ReportLinks, out: &mut impl Write) -> std::io::Result<()> {
        writeln!(
            out,
            "<section id=\"sources\" aria-labelledby=\"sources-head\">\n<h2 id=\"sources-head\">Sources</h2>\n\
             <div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Table of sources\"><table class=\"stacked\">\n<thead><tr>\
             <th scope=\"col\">Source</th><th scope=\"col\">Title</th><th scope=\"col\">Kind</th><th scope=\"col\">Pages</th>\
             <th scope=\"col\">Quoted</th><th scope=\"col\">Content</th></tr></thead>\n<tbody>"
        )?;
        for source in self.sources.all() {
            let quoted = links.quoted.get(&source.number).copied();
            let document = &source.document;
            let id = document.id().to_string();
            writeln!(
                out,
                "<tr><th scope=\"row\"><bdi>{}</bdi></th><td data-name=\"Title\"><bdi>{}</bdi></td>\
                 <td data-name=\"Kind\">{}</td><td data-name=\"Pages\">{}</td><td data-name=\"Quoted\">{}</td>\
                 <td data-name=\"Content\"><code title=\"{id}\">{}</code></td></tr>",
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

/// Returns an image element with its data. `scale` is the number of image pixels per page pixel; `alt` is escaped.
fn image_tag(image: &PageImageFile, scale: f32, alt: &str) -> String {
    let length = |pixels: u32| (pixels as f32 / scale).round() as u32;
    format!(
        "<img alt=\"{alt}\" width=\"{}\" height=\"{}\" decoding=\"async\" src=\"data:{};base64,{}\">",
        length(image.width),
        length(image.height),
        image.format.media_type(),
        STANDARD.encode(&image.bytes)
    )
}
