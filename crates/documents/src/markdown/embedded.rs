//! HTML inside Markdown: its texts, and what its tags say about the text between them.

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::{Rawtext, Rcdata, ScriptData};
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::{Attribute, LocalName};

use crate::error::DocumentError;
use crate::html::elements::{self, ElementVisibility, HtmlEffect};
use crate::html::feed::{PIECE, TokenFeed};

/// What a piece of HTML means for the text.
pub(super) enum HtmlTagEffect {
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
pub(super) enum DigitAlign {
    Normal,
    Raised,
    Lowered,
}

/// The HTML of a file.
pub(super) struct EmbeddedHtml {
    /// Of the block.
    feed: Option<TokenFeed<TokenCollector>>,
    /// The element whose content is no text.
    left: Option<LocalName>,
    /// The element whose content is not shown, and how many of its name are open.
    concealed: Option<(LocalName, u32)>,
    height: DigitAlign,
}

impl EmbeddedHtml {
    pub(super) fn new() -> Self {
        Self {
            feed: None,
            left: None,
            concealed: None,
            height: DigitAlign::Normal,
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
            DigitAlign::Normal => return None,
            DigitAlign::Raised => elements::raised,
            DigitAlign::Lowered => elements::lowered,
        };
        Some(text.chars().map(form).collect())
    }

    /// Reads a tag, or a line of a block.
    pub(super) fn read(
        &mut self,
        html: &str,
        mut effect: impl FnMut(&Self, HtmlTagEffect),
    ) -> Result<(), DocumentError> {
        let feed = self
            .feed
            .get_or_insert_with(|| TokenFeed::new(TokenCollector::default()));
        feed.read(&StrTendril::from(html), |_, _| Ok(PIECE))?;
        for token in feed.sink().0.take() {
            match token {
                Token::CharacterTokens(text) if !self.is_left() => {
                    effect(self, HtmlTagEffect::Text(text));
                }
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
        self.height = DigitAlign::Normal;
        self.concealed
            .take_if(|(name, _)| elements::may_stay_open(name));
    }

    fn tag(&mut self, tag: &Tag, effect: &mut impl FnMut(&Self, HtmlTagEffect)) {
        let starts = tag.kind == TagKind::StartTag;
        if let Some(left) = &self.left {
            if !starts && tag.name == *left {
                self.left = None;
            }
            return;
        }
        let manner = elements::html_manner(&tag.name);
        match manner {
            HtmlEffect::Block | HtmlEffect::Preformatted | HtmlEffect::LineBreak => {
                effect(self, HtmlTagEffect::Line);
            }
            HtmlEffect::Cell | HtmlEffect::Separate | HtmlEffect::Replaced => {
                effect(self, HtmlTagEffect::Word);
            }
            HtmlEffect::Raised if starts => self.height = DigitAlign::Raised,
            HtmlEffect::Lowered if starts => self.height = DigitAlign::Lowered,
            HtmlEffect::Raised | HtmlEffect::Lowered => self.height = DigitAlign::Normal,
            _ => {}
        }
        if starts {
            for name in ["alt", "title"] {
                let attribute = tag
                    .attrs
                    .iter()
                    .find(|attribute| &*attribute.name.local == name);
                if let Some(attribute) = attribute {
                    effect(self, HtmlTagEffect::Hidden(attribute.value.clone()));
                }
            }
            if &*tag.name == "img" {
                effect(self, HtmlTagEffect::Image(tag.attrs.clone()));
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

    fn conceal(&mut self, tag: &Tag, manner: HtmlEffect) {
        if let Some((name, open)) = &mut self.concealed {
            *open += u32::from(tag.name == *name);
            return;
        }
        if elements::is_void(&tag.name) {
            return;
        }
        let shown = elements::shown(&tag.name, &tag.attrs);
        match manner {
            HtmlEffect::Left | HtmlEffect::Title if &*tag.name != "template" => {
                self.left = Some(tag.name.clone());
            }
            HtmlEffect::Left | HtmlEffect::Hidden => self.concealed = Some((tag.name.clone(), 1)),
            _ if matches!(
                shown,
                ElementVisibility::Gone | ElementVisibility::Invisible
            ) =>
            {
                self.concealed = Some((tag.name.clone(), 1));
            }
            _ => {}
        }
    }
}

/// Collects tokens.
#[derive(Default)]
struct TokenCollector(RefCell<Vec<Token>>);

impl TokenSink for TokenCollector {
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
