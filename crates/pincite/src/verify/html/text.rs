//! The answer as HTML: its Markdown, with a link wherever it cites.

use citations::escaped;
use pulldown_cmark::{CodeBlockKind, CowStr, Event, LinkType, Options, Parser, Tag, TagEnd};

use super::super::answer::VisibleAnswer;

/// Between these stands the number of a chip while the Markdown is read. The answer's own are taken out.
const OPEN: char = '\u{e000}';
const CLOSE: char = '\u{e001}';
/// Blocks that are nested deeper are not shown as such.
const DEPTH: usize = 48;

/// Writes the answer; `chip` gives the HTML of one, inside a link if the flag says so.
pub(super) fn html(shown: &VisibleAnswer, chip: impl Fn(usize, bool) -> String) -> String {
    let marked = marked(shown);
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut writer = HtmlTextWriter {
        out: String::with_capacity(marked.len() * 2),
        open: Vec::new(),
        links: 0,
        in_head: false,
        chip,
    };
    for event in Parser::new_ext(&marked, options) {
        writer.event(event);
    }
    while let Some(close) = writer.open.pop() {
        writer.out.push_str(close);
    }
    writer.out
}

/// The text with a sign for each chip.
fn marked(shown: &VisibleAnswer) -> String {
    let mut marked = String::with_capacity(shown.text.len());
    let plain = |from: usize, to: usize| {
        let text = shown.text.get(from..to).unwrap_or_default();
        text.replace([OPEN, CLOSE], "\u{fffd}")
    };
    let mut kept = 0;
    for (at, chip) in shown.chips.iter().enumerate() {
        if chip.range.start < kept {
            continue;
        }
        marked.push_str(&plain(kept, chip.range.start));
        marked.push_str(&format!("{OPEN}{at}{CLOSE}"));
        kept = chip.range.end;
    }
    marked.push_str(&plain(kept, shown.text.len()));
    marked
}

struct HtmlTextWriter<F> {
    out: String,
    /// What closes the elements that are open; empty for those that are not shown.
    open: Vec<&'static str>,
    /// How many links are open.
    links: usize,
    in_head: bool,
    chip: F,
}

impl<F: Fn(usize, bool) -> String> HtmlTextWriter<F> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(end) => self.end(end),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.out.push_str("<code>");
                self.text(&text);
                self.out.push_str("</code>");
            }
            Event::SoftBreak => self.out.push('\n'),
            Event::HardBreak => self.out.push_str("<br>\n"),
            Event::Rule => self.out.push_str("<hr>\n"),
            Event::TaskListMarker(done) => self.out.push_str(if done { "☑ " } else { "☐ " }),
            Event::FootnoteReference(label) => self.text(&label),
        }
    }

    /// Text with its chips.
    fn text(&mut self, text: &str) {
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(OPEN) {
            self.out.push_str(&escaped(before));
            let (number, after) = after.split_once(CLOSE).unwrap_or((after, ""));
            if let Ok(number) = number.parse() {
                self.out.push_str(&(self.chip)(number, self.links > 0));
            }
            rest = after;
        }
        self.out.push_str(&escaped(rest));
    }

    fn push(&mut self, open: &str, close: &'static str) {
        if self.open.len() < DEPTH {
            self.out.push_str(open);
            self.open.push(close);
        } else {
            self.open.push("");
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.push("<p dir=\"auto\">", "</p>\n"),
            // The page has two levels of its own.
            Tag::Heading { level, .. } => match level as usize {
                1 | 2 => self.push("<h3 dir=\"auto\">", "</h3>\n"),
                3 => self.push("<h4 dir=\"auto\">", "</h4>\n"),
                4 => self.push("<h5 dir=\"auto\">", "</h5>\n"),
                _ => self.push("<h6 dir=\"auto\">", "</h6>\n"),
            },
            Tag::BlockQuote(_) => self.push("<blockquote>", "</blockquote>\n"),
            Tag::CodeBlock(CodeBlockKind::Indented | CodeBlockKind::Fenced(_)) => {
                self.push("<pre tabindex=\"0\"><code>", "</code></pre>\n");
            }
            Tag::List(None) => self.push("<ul>\n", "</ul>\n"),
            Tag::List(Some(start)) => self.push(&format!("<ol start=\"{start}\">\n"), "</ol>\n"),
            Tag::Item => self.push("<li dir=\"auto\">", "</li>\n"),
            Tag::Table(_) => self.push("<table>\n", "</tbody></table>\n"),
            Tag::TableHead => {
                self.in_head = true;
                self.push("<thead><tr>", "</tr></thead><tbody>\n");
            }
            Tag::TableRow => self.push("<tr>", "</tr>\n"),
            Tag::TableCell if self.in_head => self.push("<th scope=\"col\">", "</th>"),
            Tag::TableCell => self.push("<td dir=\"auto\">", "</td>"),
            Tag::Emphasis => self.push("<em>", "</em>"),
            Tag::Strong => self.push("<strong>", "</strong>"),
            Tag::Strikethrough => self.push("<s>", "</s>"),
            Tag::Link {
                link_type,
                dest_url,
                ..
            } => match address(link_type, dest_url) {
                Some(address) if self.links == 0 => {
                    self.links += 1;
                    let open = format!("<a rel=\"noreferrer\" href=\"{}\">", escaped(&address));
                    // A link that is not closed would take in what follows.
                    self.out.push_str(&open);
                    self.open.push("</a>");
                }
                _ => self.open.push(""),
            },
            // Nothing is loaded from anywhere: the text of an image stands for it.
            Tag::Image { .. } => self.push("<em>", "</em>"),
            Tag::HtmlBlock => self.push("<p dir=\"auto\">", "</p>\n"),
            _ => self.open.push(""),
        }
    }

    fn end(&mut self, end: TagEnd) {
        if end == TagEnd::TableHead {
            self.in_head = false;
        }
        if let Some(close) = self.open.pop() {
            if close == "</a>" {
                self.links -= 1;
            }
            self.out.push_str(close);
        }
    }
}

/// Where a link leads, if a reader may go there.
fn address(kind: LinkType, address: CowStr<'_>) -> Option<String> {
    let address = match kind {
        LinkType::Email => format!("mailto:{address}"),
        _ => address.into_string(),
    };
    let lower = address.to_ascii_lowercase();
    let known = ["https://", "http://", "mailto:"];
    let good = known.iter().any(|scheme| lower.starts_with(scheme));
    (good && !address.contains([OPEN, CLOSE])).then_some(address)
}

#[cfg(test)]
mod tests {
    use super::super::super::answer::AnswerChip;
    use super::*;

    fn shown(text: &str, chips: &[(std::ops::Range<usize>, usize)]) -> String {
        let chips = chips.iter().map(|(range, claim)| AnswerChip {
            range: range.clone(),
            label: None,
            claim: *claim,
        });
        let shown = VisibleAnswer {
            text: text.to_owned(),
            chips: chips.collect(),
        };
        html(&shown, |at, linked| {
            format!("<{at}{}>", if linked { "!" } else { "" })
        })
    }

    #[test]
    fn chips_stand_where_the_markers_were() {
        assert_eq!(
            shown("High *tide [1]* came.\n", &[(11..14, 0)]),
            "<p dir=\"auto\">High <em>tide <0></em> came.</p>\n"
        );
        // Also within links, which hold no other links, and in code.
        assert_eq!(
            shown("[a [1]](https://a.example) `b`", &[(3..6, 0), (28..28, 1)]),
            "<p dir=\"auto\"><a rel=\"noreferrer\" href=\"https://a.example\">a <0!></a> <code><1>b</code></p>\n"
        );
    }

    #[test]
    fn nothing_of_the_answer_becomes_markup() {
        let html = shown(
            "<script>alert(1)</script>\n\n<b onclick=x>y</b> [z](javascript:alert(1)) ![p](https://spy.example/p.png) \u{e000}0\u{e001}",
            &[],
        );
        assert!(!html.contains("<script") && !html.contains("<b "), "{html}");
        assert!(
            !html.contains("javascript:") && !html.contains("spy.example"),
            "{html}"
        );
        assert!(!html.contains("<0>"), "{html}");
    }

    #[test]
    fn deep_nesting_stays_shallow() {
        let deep = format!("{}x", "> ".repeat(5000));
        let html = shown(&deep, &[]);
        assert!(html.matches("<blockquote>").count() <= DEPTH);
        assert_eq!(
            html.matches("<blockquote>").count(),
            html.matches("</blockquote>").count()
        );
    }
}
