//! Nested marked content: hidden layers and replacement texts.

use super::super::glyphs::DrawnGlyph;

/// Content between two marks of the content stream.
#[derive(Debug, Default)]
struct MarkedContent {
    /// True if the content belongs to a hidden layer.
    hidden: bool,
    /// Replacement text for the content.
    actual: Option<String>,
    /// True if enclosing content has a replacement text.
    replaced: bool,
    /// Area of its glyphs.
    drawn: Option<DrawnGlyph>,
}

impl MarkedContent {
    fn is_replaced(&self) -> bool {
        self.replaced || self.actual.is_some()
    }

    fn cover(&mut self, drawn: DrawnGlyph) {
        match &mut self.drawn {
            Some(all) if all.direction == drawn.direction => all.extent.cover(&drawn.extent),
            Some(_) => {}
            None => self.drawn = Some(drawn),
        }
    }
}

/// Stack of the marked content that is open at the current position.
#[derive(Debug, Default)]
pub(super) struct MarkedContentStack(Vec<MarkedContent>);

impl MarkedContentStack {
    /// Returns the depth of nesting.
    pub(super) fn depth(&self) -> usize {
        self.0.len()
    }

    /// Returns true if the current position is in a hidden layer.
    pub(super) fn is_hidden(&self) -> bool {
        self.0.last().is_some_and(|marked| marked.hidden)
    }

    /// Opens marked content with its replacement text. It inherits the visibility of the content
    /// around it.
    pub(super) fn begin(&mut self, hidden: bool, actual: Option<String>) {
        let outer = self.0.last();
        let replaced = outer.is_some_and(MarkedContent::is_replaced);
        self.0.push(MarkedContent {
            hidden: hidden || outer.is_some_and(|marked| marked.hidden),
            // The outermost replacement text covers everything inside.
            actual: actual.filter(|_| !replaced),
            replaced,
            drawn: None,
        });
    }

    /// Opens marked content without properties.
    pub(super) fn begin_plain(&mut self) {
        self.0.push(MarkedContent::default());
    }

    /// Closes the innermost marked content. Returns its replacement text with the area of its
    /// glyphs, if it has both.
    pub(super) fn end(&mut self) -> Option<(String, DrawnGlyph)> {
        let ended = self.0.pop()?;
        let drawn = ended.drawn?;
        match ended.actual {
            Some(actual) => Some((actual, drawn)),
            None => {
                if let Some(outer) = self.0.last_mut() {
                    outer.cover(drawn);
                }
                None
            }
        }
    }

    /// Adds a glyph to the replaced content around it. Returns the glyph if there is none.
    pub(super) fn absorb(&mut self, drawn: DrawnGlyph) -> Option<DrawnGlyph> {
        match self.0.last_mut() {
            Some(marked) if marked.is_replaced() => {
                marked.cover(drawn);
                None
            }
            _ => Some(drawn),
        }
    }
}
