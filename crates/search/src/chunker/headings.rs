//! Headings of a document: the lines that are headings, and their depth.

use std::collections::HashMap;

use documents::{Document, Line, LineRole, OutlineHeading};

/// Deepest heading.
const MAX_DEPTH: u32 = 16;
/// Longest heading in a heading path, in bytes.
const MAX_TITLE: usize = 200;

/// Headings above a position of the text.
#[derive(Debug, Default)]
pub(super) struct HeadingPath(Vec<(u32, String)>);

impl HeadingPath {
    /// Begins the section of a heading, which ends those of the same depth and deeper.
    pub(super) fn enter(&mut self, depth: u32, title: &str) {
        self.0.retain(|(other, _)| *other < depth);
        let title: Vec<&str> = title.split_whitespace().collect();
        let mut title = title.join(" ");
        title.truncate(title.floor_char_boundary(MAX_TITLE));
        if !title.is_empty() {
            self.0.push((depth, title));
        }
    }

    /// Returns the headings, the outermost first.
    pub(super) fn titles(&self) -> Vec<String> {
        self.0.iter().map(|(_, title)| title.clone()).collect()
    }
}

/// Recognises the headings among the lines of a document.
pub(super) struct HeadingReader {
    is_markdown: bool,
    /// Depth by the position of the line, for headings of Markdown.
    markdown: HashMap<u32, u32>,
    /// Depth by the title in the outline.
    outline: HashMap<String, u32>,
}

impl HeadingReader {
    /// Reads the outline of a document.
    pub(super) fn new(document: &Document) -> Self {
        let is_markdown = document.media_type().contains("markdown");
        let outline = document.outline().iter();
        Self {
            is_markdown,
            markdown: match is_markdown {
                true => markdown_headings(document.lines()),
                false => HashMap::new(),
            },
            outline: outline
                .map(|heading| (comparable(&heading.title), heading.depth.min(MAX_DEPTH)))
                .collect(),
        }
    }

    /// Returns the depth of a line that is a heading, from 0.
    pub(super) fn depth(&self, at: u32, line: &Line) -> Option<u32> {
        if self.is_markdown {
            return self.markdown.get(&at).copied();
        }
        if line.role != LineRole::Heading {
            return None;
        }
        let known = self.outline.get(&comparable(&line.text)).copied();
        Some(known.unwrap_or_else(|| depth_by_number(&line.text)))
    }
}

/// Returns the outline of a document: its own, or else the lines that are headings.
pub fn outline_of(document: &Document) -> Vec<OutlineHeading> {
    if !document.outline().is_empty() {
        return document.outline().to_vec();
    }
    let headings = HeadingReader::new(document);
    let lines = (0..).zip(document.lines());
    let heading = |(at, line): (u32, &Line)| {
        let depth = headings.depth(at, line)?;
        let title = line.text.trim_start_matches('#').trim();
        let first = document.words_of(line).first();
        (!title.is_empty()).then(|| OutlineHeading {
            title: title.to_owned(),
            page: first.map(|word| word.rendered_page),
            depth,
        })
    };
    lines.filter_map(heading).collect()
}

/// Returns a title in the form in which titles are compared: letters and digits only.
fn comparable(title: &str) -> String {
    title
        .chars()
        .filter(|char| char.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Returns the depth that the number of a heading shows: 1 for "2.1 Methods"; 0 without a number.
fn depth_by_number(title: &str) -> u32 {
    let number = title.split_whitespace().next().unwrap_or_default();
    let parts = number.trim_end_matches('.').split('.');
    let is_number = number.starts_with(|char: char| char.is_ascii_digit())
        && parts
            .clone()
            .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    match is_number {
        true => u32::try_from(parts.count() - 1).unwrap_or(0).min(MAX_DEPTH),
        false => 0,
    }
}

/// Returns the lines of Markdown that begin with number signs, outside of code, with their depth.
fn markdown_headings(lines: &[Line]) -> HashMap<u32, u32> {
    let mut headings = HashMap::new();
    let mut fence: Option<char> = None;
    for (at, line) in (0..).zip(lines) {
        let text = line.text.as_str();
        let mark = ['`', '~']
            .into_iter()
            .find(|mark| text.chars().take(3).filter(|char| char == mark).count() == 3);
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (Some(_), _) => {}
            (None, None) => {
                let level = text.bytes().take_while(|byte| *byte == b'#').count();
                if (1..=6).contains(&level) && text[level..].starts_with([' ', '\t']) {
                    headings.insert(at, u32::try_from(level - 1).unwrap_or(0));
                }
            }
        }
    }
    headings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_without_an_outline_has_that_of_its_headings() {
        let file = b"# Tides\n\nNoon.\n\n## Gates\n\nThey open.\n";
        let limits = documents::ReadLimits::default();
        let document = Document::read(file, "tides.md", &limits).expect("Markdown");
        let heading = |title: &str, depth| OutlineHeading {
            title: title.to_owned(),
            page: Some(1),
            depth,
        };
        assert_eq!(
            outline_of(&document),
            [heading("Tides", 0), heading("Gates", 1)]
        );
    }

    #[test]
    fn numbers_show_the_depth_of_headings() {
        for (title, depth) in [
            ("2 Methods", 0),
            ("2.1 Methods", 1),
            ("2.1.3. Methods", 2),
            ("Methods", 0),
            ("3D models", 0),
        ] {
            assert_eq!(depth_by_number(title), depth, "{title}");
        }
    }

    #[test]
    fn paths_end_at_headings_of_the_same_depth() {
        let mut path = HeadingPath::default();
        path.enter(0, "A");
        path.enter(1, "B  b");
        path.enter(2, "C");
        path.enter(1, "D");
        assert_eq!(path.titles(), ["A", "D"]);
    }
}
