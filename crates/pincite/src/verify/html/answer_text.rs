//! Answer as HTML: its Markdown with a chip for each citation.

use citations::escaped;
use pulldown_cmark::{CodeBlockKind, CowStr, Event, LinkType, Options, Parser, Tag, TagEnd};

use super::super::answer::VisibleAnswer;

/// Characters around the number of a chip while the Markdown is parsed. Those of the answer itself are replaced.
const OPEN: char = '\u{e000}';
const CLOSE: char = '\u{e001}';
/// Limit on the nesting of elements; deeper ones become text.
const MAX_DEPTH: usize = 48;

/// Returns the answer as HTML. `chip` returns the HTML of a chip; its flag is true inside a link.
pub(super) fn html(answer: &VisibleAnswer, chip: impl Fn(usize, bool) -> String) -> String {
    let marked = mark_chips(answer);
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES;
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

/// Returns the text with each chip replaced by its marked number.
fn mark_chips(answer: &VisibleAnswer) -> String {
    let mut marked = String::with_capacity(answer.text.len());
    let clean = |from: usize, to: usize| {
        let text = answer.text.get(from..to).unwrap_or_default();
        text.replace([OPEN, CLOSE], "\u{fffd}")
    };
    let mut kept = 0;
    for (at, chip) in answer.chips.iter().enumerate() {
        if chip.range.start < kept {
            continue;
        }
        marked.push_str(&clean(kept, chip.range.start));
        marked.push_str(&format!("{OPEN}{at}{CLOSE}"));
        kept = chip.range.end;
    }
    marked.push_str(&clean(kept, answer.text.len()));
    marked
}

/// Converter of Markdown events to HTML.
struct HtmlTextWriter<F> {
    out: String,
    /// Closing tags of the open elements; empty for elements that are not written.
    open: Vec<&'static str>,
    /// Number of open links.
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
            Event::FootnoteReference(label) => {
                self.out.push_str("<sup>");
                self.text(&label);
                self.out.push_str("</sup>");
            }
        }
    }

    /// Writes escaped text with its chips.
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
        if self.open.len() < MAX_DEPTH {
            self.out.push_str(open);
            self.open.push(close);
        } else {
            self.open.push("");
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.push("<p dir=\"auto\">", "</p>\n"),
            // The page itself uses the first two levels.
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
            // A table that is wider than the screen scrolls by itself.
            Tag::Table(_) => self.push(
                "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Table\"><table>\n",
                "</tbody></table></div>\n",
            ),
            Tag::FootnoteDefinition(label) => {
                let open = format!("<div class=\"note\"><sup>{}</sup> ", escaped(&label));
                self.push(&open, "</div>\n");
            }
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
            } => match safe_url(link_type, dest_url) {
                Some(url) if self.links == 0 => {
                    self.links += 1;
                    let open = format!("<a rel=\"noreferrer\" href=\"{}\">", escaped(&url));
                    // Not subject to the depth limit: an unclosed link would include the text after it.
                    self.out.push_str(&open);
                    self.open.push("</a>");
                }
                _ => self.open.push(""),
            },
            // The page loads nothing, so an image is replaced by its alternative text.
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

/// Returns the URL of a link if its scheme is harmless.
fn safe_url(kind: LinkType, url: CowStr<'_>) -> Option<String> {
    let url = match kind {
        LinkType::Email => format!("mailto:{url}"),
        _ => url.into_string(),
    };
    let lower = url.to_ascii_lowercase();
    let schemes = ["https://", "http://", "mailto:"];
    let is_safe = schemes.iter().any(|scheme| lower.starts_with(scheme));
    (is_safe && !url.contains([OPEN, CLOSE])).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::super::super::answer::AnswerChip;
    use super::*;

    fn render(text: &str, chips: &[(std::ops::Range<usize>, usize)]) -> String {
        let chips = chips.iter().map(|(range, claim)| AnswerChip {
            range: range.clone(),
            anchor: range.clone(),
            number: None,
            words: None,
            claim: *claim,
        });
        let answer = VisibleAnswer {
            text: text.to_owned(),
            chips: chips.collect(),
        };
        html(&answer, |at, linked| {
            format!("<{at}{}>", if linked { "!" } else { "" })
        })
    }

    #[test]
    fn chips_replace_the_markers() {
        assert_eq!(
            render("High *tide [1]* came.\n", &[(11..14, 0)]),
            "<p dir=\"auto\">High <em>tide <0></em> came.</p>\n"
        );
        // Links cannot be nested, so a chip inside a link is none.
        assert_eq!(
            render("[a [1]](https://a.example) `b`", &[(3..6, 0), (28..28, 1)]),
            "<p dir=\"auto\"><a rel=\"noreferrer\" href=\"https://a.example\">a <0!></a> <code><1>b</code></p>\n"
        );
    }

    #[test]
    fn escapes_markup_scripts_and_images_of_the_answer() {
        let html = render(
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
    fn limits_the_nesting_of_elements() {
        let deep = format!("{}x", "> ".repeat(5000));
        let html = render(&deep, &[]);
        assert!(html.matches("<blockquote>").count() <= MAX_DEPTH);
        assert_eq!(
            html.matches("<blockquote>").count(),
            html.matches("</blockquote>").count()
        );
    }
}
