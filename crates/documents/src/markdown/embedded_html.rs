//! HTML inside Markdown: its texts, and the effects of its tags on the text between them.

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::{Rawtext, Rcdata, ScriptData};
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::{Attribute, LocalName};

use crate::digit_position::DigitPosition;
use crate::error::DocumentError;
use crate::html::elements::{self, ElementVisibility, HtmlEffect};
use crate::html::token_feed::{PIECE, TokenFeed};

/// Effect of a piece of HTML on the text.
pub(super) enum HtmlTagEffect {
    /// Text, which may contain line ends.
    Text(StrTendril),
    /// Hidden text of an attribute.
    Hidden(StrTendril),
    /// Image with the attributes of its element.
    Image(Vec<Attribute>),
    /// End of a line.
    Line,
    /// End of a word.
    Word,
}

/// State of the HTML in a file.
pub(super) struct EmbeddedHtml {
    /// Tokenizer of the current block.
    feed: Option<TokenFeed<TokenCollector>>,
    /// Open element whose content is ignored.
    ignored: Option<LocalName>,
    /// Open element whose content is hidden, and the number of open elements of its name.
    hidden: Option<(LocalName, u32)>,
    digits: DigitPosition,
}

impl EmbeddedHtml {
    pub(super) fn new() -> Self {
        Self {
            feed: None,
            ignored: None,
            hidden: None,
            digits: DigitPosition::Normal,
        }
    }

    /// Returns true if text is ignored at this position.
    pub(super) fn is_ignored(&self) -> bool {
        self.ignored.is_some()
    }

    /// Returns true if text is hidden at this position.
    pub(super) fn is_hidden(&self) -> bool {
        self.hidden.is_some()
    }

    /// Returns the text with raised or lowered digits; `None` if it stays as it is.
    pub(super) fn set_digits(&self, text: &str) -> Option<String> {
        match self.digits {
            DigitPosition::Normal => None,
            digits => Some(text.chars().map(|c| digits.apply(c)).collect()),
        }
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
                Token::CharacterTokens(text) if !self.is_ignored() => {
                    effect(self, HtmlTagEffect::Text(text));
                }
                Token::TagToken(tag) => self.read_tag(&tag, &mut effect),
                _ => {}
            }
        }
        Ok(())
    }

    /// Ends the block and most elements that it left open.
    pub(super) fn end_block(&mut self) {
        self.feed = None;
        self.ignored = None;
        self.digits = DigitPosition::Normal;
        self.hidden
            .take_if(|(name, _)| elements::may_stay_open(name));
    }

    fn read_tag(&mut self, tag: &Tag, effect: &mut impl FnMut(&Self, HtmlTagEffect)) {
        let is_start = tag.kind == TagKind::StartTag;
        if let Some(ignored) = &self.ignored {
            if !is_start && tag.name == *ignored {
                self.ignored = None;
            }
            return;
        }
        let tag_effect = elements::html_effect(&tag.name);
        match tag_effect {
            HtmlEffect::Block | HtmlEffect::Preformatted | HtmlEffect::LineBreak => {
                effect(self, HtmlTagEffect::Line);
            }
            HtmlEffect::Cell | HtmlEffect::Separate | HtmlEffect::Replaced => {
                effect(self, HtmlTagEffect::Word);
            }
            HtmlEffect::Raised if is_start => self.digits = DigitPosition::Raised,
            HtmlEffect::Lowered if is_start => self.digits = DigitPosition::Lowered,
            HtmlEffect::Raised | HtmlEffect::Lowered => self.digits = DigitPosition::Normal,
            _ => {}
        }
        if is_start {
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
            self.hide(tag, tag_effect);
        } else if let Some((name, open)) = &mut self.hidden
            && tag.name == *name
        {
            *open -= 1;
            if *open == 0 {
                self.hidden = None;
            }
        }
    }

    /// Hides or ignores the content of an element, if it has to be.
    fn hide(&mut self, tag: &Tag, effect: HtmlEffect) {
        if let Some((name, open)) = &mut self.hidden {
            *open += u32::from(tag.name == *name);
            return;
        }
        if elements::is_void(&tag.name) {
            return;
        }
        let visibility = elements::visibility(&tag.name, &tag.attrs);
        match effect {
            HtmlEffect::Ignored | HtmlEffect::Title if &*tag.name != "template" => {
                self.ignored = Some(tag.name.clone());
            }
            HtmlEffect::Ignored | HtmlEffect::Hidden => self.hidden = Some((tag.name.clone(), 1)),
            _ if matches!(
                visibility,
                ElementVisibility::Removed | ElementVisibility::Invisible
            ) =>
            {
                self.hidden = Some((tag.name.clone(), 1));
            }
            _ => {}
        }
    }
}

/// Collector of tokens.
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
