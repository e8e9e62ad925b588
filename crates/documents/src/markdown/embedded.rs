//! HTML inside Markdown: its texts, and what its tags say about the text between them.

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::{Rawtext, Rcdata, ScriptData};
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::{Attribute, LocalName};

use crate::error::ReadError;
use crate::html::elements::{self, Manner, Shown};
use crate::html::feed::{Feed, PIECE};

/// What a piece of HTML means for the text.
pub(super) enum Effect {
    /// Text, which may have line ends in it.
    Text(StrTendril),
    /// Text in an attribute, which is not shown.
    Hidden(StrTendril),
    /// An image, with the attributes of its element.
    Image(Vec<Attribute>),
    /// A line ends.
    Line,
    /// A word ends.
    Word,
}

/// How digits between tags are set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Height {
    Normal,
    Raised,
    Lowered,
}

/// The HTML of a file.
pub(super) struct Embedded {
    /// Of the block.
    feed: Option<Feed<Tokens>>,
    /// The element whose content is no text.
    left: Option<LocalName>,
    /// The element whose content is not shown, and how many of its name are open.
    concealed: Option<(LocalName, u32)>,
    height: Height,
}

impl Embedded {
    pub(super) fn new() -> Self {
        Self {
            feed: None,
            left: None,
            concealed: None,
            height: Height::Normal,
        }
    }

    /// Whether text is left out here.
    pub(super) fn is_left(&self) -> bool {
        self.left.is_some()
    }

    /// Whether text is not shown here.
    pub(super) fn is_concealed(&self) -> bool {
        self.concealed.is_some()
    }

    /// Text as it is set here.
    pub(super) fn set(&self, text: &str) -> Option<String> {
        let form = match self.height {
            Height::Normal => return None,
            Height::Raised => elements::raised,
            Height::Lowered => elements::lowered,
        };
        Some(text.chars().map(form).collect())
    }

    /// Reads a tag, or a line of a block.
    pub(super) fn read(
        &mut self,
        html: &str,
        mut effect: impl FnMut(&Self, Effect),
    ) -> Result<(), ReadError> {
        let feed = self
            .feed
            .get_or_insert_with(|| Feed::new(Tokens::default()));
        feed.read(&StrTendril::from(html), |_, _| Ok(PIECE))?;
        for token in feed.sink().0.take() {
            match token {
                Token::CharacterTokens(text) if !self.is_left() => effect(self, Effect::Text(text)),
                Token::TagToken(tag) => self.tag(&tag, &mut effect),
                _ => {}
            }
        }
        Ok(())
    }

    /// The block ends; what it left open does not reach beyond it.
    pub(super) fn end_block(&mut self) {
        self.feed = None;
        self.left = None;
        self.height = Height::Normal;
        self.concealed
            .take_if(|(name, _)| elements::may_stay_open(name));
    }

    fn tag(&mut self, tag: &Tag, effect: &mut impl FnMut(&Self, Effect)) {
        let starts = tag.kind == TagKind::StartTag;
        if let Some(left) = &self.left {
            if !starts && tag.name == *left {
                self.left = None;
            }
            return;
        }
        let manner = elements::html_manner(&tag.name);
        match manner {
            Manner::Block | Manner::Preformatted | Manner::LineBreak => effect(self, Effect::Line),
            Manner::Cell | Manner::Separate | Manner::Replaced => effect(self, Effect::Word),
            Manner::Raised if starts => self.height = Height::Raised,
            Manner::Lowered if starts => self.height = Height::Lowered,
            Manner::Raised | Manner::Lowered => self.height = Height::Normal,
            _ => {}
        }
        if starts {
            for name in ["alt", "title"] {
                let attribute = tag
                    .attrs
                    .iter()
                    .find(|attribute| &*attribute.name.local == name);
                if let Some(attribute) = attribute {
                    effect(self, Effect::Hidden(attribute.value.clone()));
                }
            }
            if &*tag.name == "img" {
                effect(self, Effect::Image(tag.attrs.clone()));
            }
            self.conceal(tag, manner);
        } else if let Some((name, open)) = &mut self.concealed
            && tag.name == *name
        {
            *open -= 1;
            if *open == 0 {
                self.concealed = None;
            }
        }
    }

    fn conceal(&mut self, tag: &Tag, manner: Manner) {
        if let Some((name, open)) = &mut self.concealed {
            *open += u32::from(tag.name == *name);
            return;
        }
        if elements::is_void(&tag.name) {
            return;
        }
        let shown = elements::shown(&tag.name, &tag.attrs);
        match manner {
            Manner::Left | Manner::Title if &*tag.name != "template" => {
                self.left = Some(tag.name.clone());
            }
            Manner::Left | Manner::Hidden => self.concealed = Some((tag.name.clone(), 1)),
            _ if matches!(shown, Shown::Gone | Shown::Invisible) => {
                self.concealed = Some((tag.name.clone(), 1));
            }
            _ => {}
        }
    }
}

/// Collects tokens.
#[derive(Default)]
struct Tokens(RefCell<Vec<Token>>);

impl TokenSink for Tokens {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let mut next = TokenSinkResult::Continue;
        if let Token::TagToken(tag) = &token
            && tag.kind == TagKind::StartTag
        {
            next = match &*tag.name {
                "script" => TokenSinkResult::RawData(ScriptData),
                "style" | "noscript" | "iframe" | "noembed" | "noframes" | "xmp" => {
                    TokenSinkResult::RawData(Rawtext)
                }
                "textarea" | "title" => TokenSinkResult::RawData(Rcdata),
                _ => TokenSinkResult::Continue,
            };
        }
        if matches!(token, Token::TagToken(_) | Token::CharacterTokens(_)) {
            self.0.borrow_mut().push(token);
        }
        next
    }
}
