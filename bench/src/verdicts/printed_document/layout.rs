//! Output of `pdftotext -bbox-layout` and `-bbox`: pages, blocks, lines and words with boxes.

use unicode_normalization::UnicodeNormalization;

/// A rectangle, from the top left of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PageArea {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

impl PageArea {
    pub(crate) fn height(&self) -> f64 {
        self.bottom - self.top
    }

    /// Returns the vertical centre.
    pub(crate) fn middle(&self) -> f64 {
        (self.top + self.bottom) / 2.0
    }

    /// Returns true if both overlap horizontally.
    pub(crate) fn shares_column(&self, other: &Self) -> bool {
        self.left < other.right - 1.0 && other.left < self.right - 1.0
    }

    /// Returns the area of the intersection as a share of the union.
    pub(crate) fn overlap(&self, other: &Self) -> f64 {
        let width = self.right.min(other.right) - self.left.max(other.left);
        let height = self.bottom.min(other.bottom) - self.top.max(other.top);
        if width <= 0.0 || height <= 0.0 {
            return 0.0;
        }
        let size = |area: &Self| (area.right - area.left) * area.height();
        let both = width * height;
        both / (size(self) + size(other) - both)
    }
}

/// Word with its box.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PrintedWord {
    pub(crate) area: PageArea,
    pub(crate) text: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Line {
    pub(super) area: PageArea,
    pub(super) words: Vec<PrintedWord>,
}

impl Line {
    /// Returns the words in reading order.
    pub(super) fn text(&self) -> String {
        let words: Vec<&str> = self.words.iter().map(|word| word.text.as_str()).collect();
        words.join(" ")
    }

    /// Returns the height of most of its words.
    pub(super) fn letter_height(&self) -> f64 {
        let mut heights: Vec<f64> = self.words.iter().map(|word| word.area.height()).collect();
        heights.sort_by(f64::total_cmp);
        heights.get(heights.len() / 2).copied().unwrap_or_default()
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Block {
    pub(super) lines: Vec<Line>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Page {
    pub(super) width: f64,
    pub(super) blocks: Vec<Block>,
}

impl Page {
    /// Returns true if most of its letters belong to a right-to-left script.
    pub(super) fn is_right_to_left(&self) -> bool {
        let lines = self.blocks.iter().flat_map(|block| &block.lines);
        let words = lines.flat_map(|line| &line.words);
        let (left, all) =
            words
                .flat_map(|word| word.text.chars())
                .fold((0, 0), |(left, all), c| {
                    (
                        left + usize::from(runs_left(c)),
                        all + usize::from(c.is_alphabetic()),
                    )
                });
        left * 2 > all
    }
}

fn runs_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}')
}

/// Parses the pages of `-bbox-layout`. Right-to-left lines are put in reading order.
pub(super) fn pages(xhtml: &str) -> Vec<Page> {
    let mut pages: Vec<Page> = Vec::new();
    for line in xhtml.lines().map(str::trim_start) {
        if line.starts_with("<page ") {
            pages.push(Page {
                width: attribute(line, "width"),
                blocks: Vec::new(),
            });
        }
        let Some(page) = pages.last_mut() else {
            continue;
        };
        if line.starts_with("<block ") {
            page.blocks.push(Block::default());
        }
        let Some(block) = page.blocks.last_mut() else {
            continue;
        };
        if line.starts_with("<line ") {
            block.lines.push(Line {
                area: area(line),
                words: Vec::new(),
            });
        }
        // A letter that is printed as a control character is unknown.
        let known = line.replace(|c: char| c.is_control() && c != '\t', "\u{fffd}");
        if let (Some(word), Some(line)) = (word(&known), block.lines.last_mut()) {
            line.words.push(word);
        }
    }
    for page in pages.iter_mut().filter(|page| page.is_right_to_left()) {
        for line in page.blocks.iter_mut().flat_map(|block| &mut block.lines) {
            line.words = from_the_right(std::mem::take(&mut line.words));
        }
    }
    pages
}

/// Parses the words of `-bbox`, page by page.
pub(crate) fn words_with_boxes(xhtml: &str) -> Vec<Vec<PrintedWord>> {
    let mut pages: Vec<Vec<PrintedWord>> = Vec::new();
    for line in xhtml.lines().map(str::trim_start) {
        if line.starts_with("<page ") {
            pages.push(Vec::new());
        }
        if let (Some(word), Some(page)) = (word(line), pages.last_mut()) {
            page.push(word);
        }
    }
    pages
}

fn word(line: &str) -> Option<PrintedWord> {
    let inner = line.strip_prefix("<word ")?;
    let text = inner.split_once('>')?.1.split("</word>").next()?;
    let text = ["&lt;<", "&gt;>", "&quot;\"", "&apos;'", "&#39;'", "&amp;&"]
        .iter()
        .fold(text.to_owned(), |text, entity| {
            let (name, plain) = entity.split_at(entity.len() - 1);
            text.replace(name, plain)
        });
    let text: String = text
        .chars()
        .filter(|c| !c.is_control() && !c.is_whitespace())
        .collect();
    (!text.is_empty()).then(|| PrintedWord {
        area: area(inner),
        text,
    })
}

fn area(tag: &str) -> PageArea {
    PageArea {
        left: attribute(tag, "xMin"),
        top: attribute(tag, "yMin"),
        right: attribute(tag, "xMax"),
        bottom: attribute(tag, "yMax"),
    }
}

/// Returns the number in an attribute of a tag; 0 if there is none.
fn attribute(tag: &str, name: &str) -> f64 {
    let tag = tag.split('>').next().unwrap_or(tag);
    let value = tag.split_once(&format!("{name}=\"")).map(|found| found.1);
    let value = value.and_then(|value| value.split('"').next());
    value
        .and_then(|value| value.parse().ok())
        .unwrap_or_default()
}

/// Reverses the letters of a right-to-left word that are given from left to right. Numbers and
/// letters of other scripts keep their order.
pub(crate) fn turned(word: &str) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    if letters.iter().any(|c| runs_left(*c)) {
        letters.reverse();
        let kept = |c: char| c.is_numeric() || (c.is_alphanumeric() && !runs_left(c));
        for run in letters.chunk_by_mut(|one, other| kept(*one) == kept(*other)) {
            if run.first().is_some_and(|c| kept(*c)) {
                run.reverse();
            }
        }
    }
    letters.into_iter().nfkc().collect()
}

/// Puts words and letters that are given from left to right in the order of a right-to-left line.
fn from_the_right(mut words: Vec<PrintedWord>) -> Vec<PrintedWord> {
    words.sort_by(|one, other| one.area.left.total_cmp(&other.area.left));
    let left = |word: &PrintedWord| word.text.contains(runs_left);
    for word in words.iter_mut().filter(|word| left(word)) {
        word.text = turned(&word.text);
    }
    words.reverse();
    // Consecutive words of another script keep their order.
    let mut start = 0;
    while start < words.len() {
        let run = words[start..].iter().take_while(|word| !left(word)).count();
        words[start..start + run].reverse();
        start += run.max(1);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::{PageArea, pages, turned, words_with_boxes};

    const PAGE: &str = r#"<page width="100.0" height="200.0">
    <flow>
      <block xMin="1" yMin="2" xMax="9" yMax="4">
        <line xMin="1.5" yMin="2" xMax="9" yMax="4">
          <word xMin="1.5" yMin="2" xMax="5" yMax="4">A&amp;B&lt;</word>
          <word xMin="6" yMin="2" xMax="9" yMax="4">c</word>
        </line>
      </block>
    </flow>
  </page>"#;

    #[test]
    fn parses_pages() {
        let pages = pages(PAGE);
        assert_eq!(pages.len(), 1);
        let line = &pages[0].blocks[0].lines[0];
        assert_eq!(line.text(), "A&B< c");
        assert_eq!(
            line.area,
            PageArea {
                left: 1.5,
                top: 2.0,
                right: 9.0,
                bottom: 4.0
            }
        );
        assert_eq!(words_with_boxes(PAGE)[0][1].text, "c");
    }

    #[test]
    fn reverses_right_to_left_lines() {
        let words = ["ﺪﺑ", "two", "three", "نا"];
        let words: Vec<String> = (0..4)
            .map(|at| {
                format!(
                    "<word xMin=\"{at}0\" yMin=\"0\" xMax=\"{at}9\" yMax=\"9\">{}</word>",
                    words[at]
                )
            })
            .collect();
        let page = format!(
            "<page height=\"9\">\n<block >\n<line >\n{}",
            words.join("\n")
        );
        let page = page.replace("two", "t").replace("three", "u");
        assert_eq!(pages(&page)[0].blocks[0].lines[0].text(), "ان t u بد");
    }

    #[test]
    fn keeps_the_order_of_digits() {
        assert_eq!(turned("۱۴ﺪﺑ"), "بد۱۴");
        assert_eq!(turned("ab1"), "ab1");
    }

    #[test]
    fn overlap_is_a_share() {
        let area = |left: f64, right: f64| PageArea {
            left,
            top: 0.0,
            right,
            bottom: 1.0,
        };
        assert_eq!(area(0.0, 2.0).overlap(&area(0.0, 2.0)), 1.0);
        assert_eq!(area(0.0, 2.0).overlap(&area(1.0, 3.0)), 1.0 / 3.0);
        assert_eq!(area(0.0, 1.0).overlap(&area(1.0, 3.0)), 0.0);
    }
}
