//! Text of an answer that is an HTML page, as Markdown with footnotes.

use std::collections::HashMap;
use std::ops::Range;

use documents::Document;

/// Longest text of a link that is the mark of a footnote, in characters.
const LONGEST_MARK: usize = 6;

/// Returns the text of an HTML page. Every line is a paragraph.
pub(super) fn html_text(document: &Document) -> String {
    let mut text = String::new();
    for line in document.lines().iter().filter(|line| line.role.is_body()) {
        let line = with_plain_labels(&line.text);
        text.push_str(&line);
        // The text of a footnote may be a paragraph inside its list item.
        let is_label = line.starts_with("[^") && line.trim_end().ends_with("]:");
        text.push_str(if is_label { " " } else { "\n\n" });
    }
    text
}

/// Replaces raised digits in the labels of footnotes: marks are raised, definitions are not.
fn with_plain_labels(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut is_label = false;
    for char in line.chars() {
        is_label = match char {
            '^' if plain.ends_with('[') => true,
            ']' => false,
            _ => is_label,
        };
        plain.push(if is_label { plain_digit(char) } else { char });
    }
    plain
}

pub(super) fn plain_digit(char: char) -> char {
    match char {
        '¹' => '1',
        '²' => '2',
        '³' => '3',
        '⁰' => '0',
        '⁴'..='⁹' => char::from_digit(u32::from(char) - u32::from('⁰'), 10).unwrap_or(char),
        char => char,
    }
}

/// Start tag of an HTML page.
struct HtmlTag {
    range: Range<usize>,
    is_link: bool,
    id: Option<String>,
    /// Id that a link refers to.
    target: Option<String>,
}

/// Returns an HTML page whose footnotes have the marks of Markdown: links such as `<a href="#fn1">1</a>` become `[^1]`,
/// and the elements that they refer to begin with `[^1]:`.
pub(super) fn with_footnote_marks(html: &str) -> String {
    let tags = tags(html);
    let ids: HashMap<&str, usize> = tags
        .iter()
        .enumerate()
        .filter_map(|(at, tag)| Some((tag.id.as_deref()?, at)))
        .collect();
    let mut labels: HashMap<usize, usize> = HashMap::new();
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for (at, tag) in tags.iter().enumerate().filter(|(_, tag)| tag.is_link) {
        let Some(&target) = tag.target.as_deref().and_then(|id| ids.get(id)) else {
            continue;
        };
        let Some(inside) = link_text(html, tag.range.end) else {
            continue;
        };
        if !is_footnote_mark(&html[inside.clone()]) {
            continue;
        }
        if target > at {
            let next = labels.len() + 1;
            let label = *labels.entry(target).or_insert(next);
            edits.push((inside, format!("[^{label}]")));
        } else {
            // A link back to the mark.
            edits.push((inside, String::new()));
        }
    }
    for (target, label) in labels {
        let end = tags[target].range.end;
        edits.push((end..end, format!("[^{label}]: ")));
    }
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let mut marked = String::with_capacity(html.len() + edits.len() * 8);
    let mut copied = 0;
    for (range, text) in edits {
        marked.push_str(html.get(copied..range.start).unwrap_or_default());
        marked.push_str(&text);
        copied = copied.max(range.end);
    }
    marked.push_str(html.get(copied..).unwrap_or_default());
    marked
}

/// Returns the start tags of a page.
fn tags(html: &str) -> Vec<HtmlTag> {
    let mut tags = Vec::new();
    let mut at = 0;
    while let Some(open) = html[at..].find('<') {
        let start = at + open;
        let Some(length) = html[start..].find('>') else {
            break;
        };
        let end = start + length + 1;
        at = end;
        let inside = &html[start + 1..end - 1];
        let name = inside
            .split(|char: char| char.is_whitespace() || char == '/')
            .next();
        let name = name.unwrap_or_default().to_ascii_lowercase();
        if !name.starts_with(|char: char| char.is_ascii_alphabetic()) {
            continue;
        }
        let is_link = name == "a";
        let named = || is_link.then(|| attribute(inside, "name")).flatten();
        let target =
            attribute(inside, "href").and_then(|to| Some(to.strip_prefix('#')?.to_owned()));
        tags.push(HtmlTag {
            range: start..end,
            is_link,
            id: attribute(inside, "id").or_else(named),
            target: target.filter(|_| is_link),
        });
    }
    tags
}

/// Returns the value of an attribute in a start tag.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let lower = tag.to_ascii_lowercase();
    let found = lower.match_indices(name).find(|(at, _)| {
        let before = lower[..*at].chars().next_back();
        before.is_some_and(char::is_whitespace)
            && lower[at + name.len()..].trim_start().starts_with('=')
    });
    let (at, _) = found?;
    let value = tag[at + name.len()..]
        .trim_start()
        .strip_prefix('=')?
        .trim_start();
    let quote = value
        .chars()
        .next()
        .filter(|char| matches!(char, '"' | '\''));
    let value = match quote {
        Some(quote) => value[1..].split(quote).next(),
        None => value.split(char::is_whitespace).next(),
    };
    value.map(str::to_owned)
}

/// Returns the range between a link's start tag, which ends at `start`, and its end tag.
fn link_text(html: &str, start: usize) -> Option<Range<usize>> {
    // Marks are short, also with tags inside of them.
    const NEAR: usize = 400;
    let near = html.get(start..html.floor_char_boundary(html.len().min(start + NEAR)))?;
    let end = near.to_ascii_lowercase().find("</a")?;
    Some(start..start + end)
}

/// Returns true for the text of a link that is the mark of a footnote, or the arrow back to it.
fn is_footnote_mark(inside: &str) -> bool {
    let mut text = String::new();
    let mut in_tag = false;
    for char in inside.chars() {
        match char {
            '<' => in_tag = true,
            '>' => in_tag = false,
            char if !in_tag && !char.is_whitespace() => text.push(char),
            _ => {}
        }
    }
    let text = text
        .replace("&nbsp;", "")
        .replace("&#8617;", "↩")
        .replace("&#x21a9;", "↩");
    let text = text.trim_matches(['[', ']', '(', ')', '.', '\u{fe0e}', '\u{a0}']);
    let is_number = text.chars().all(|char| plain_digit(char).is_ascii_digit());
    let is_sign = text.chars().all(|char| "*†‡§¶↩↑^⏎←".contains(char));
    let is_letter = text.chars().count() == 1 && text.chars().all(|char| char.is_ascii_lowercase());
    !text.is_empty() && text.chars().count() <= LONGEST_MARK && (is_number || is_sign || is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_footnotes_become_marks() {
        for (html, expected) in [
            (
                "<p>“Tide”<sup><a href=\"#fn1\" id=\"r1\">1</a></sup></p><li id=\"fn1\">Log, p. 3 <a href=\"#r1\">↩</a></li>",
                "<p>“Tide”<sup><a href=\"#fn1\" id=\"r1\">[^1]</a></sup></p><li id=\"fn1\">[^1]: Log, p. 3 <a href=\"#r1\"></a></li>",
            ),
            (
                "<a href='#_ftn1' name='_ftnref1'><span>[1]</span></a> <a href=\"#_ftnref1\" name=\"_ftn1\">[1]</a> Log",
                "<a href='#_ftn1' name='_ftnref1'>[^1]</a> <a href=\"#_ftnref1\" name=\"_ftn1\">[^1]: </a> Log",
            ),
            (
                "<a href=\"#top\">Up</a><p id=top>",
                "<a href=\"#top\">Up</a><p id=top>",
            ),
        ] {
            assert_eq!(with_footnote_marks(html), expected);
        }
    }

    #[test]
    fn raised_labels_are_read() {
        assert_eq!(
            with_plain_labels("“a”[^¹²] x² [^3]: b"),
            "“a”[^12] x² [^3]: b"
        );
    }
}
