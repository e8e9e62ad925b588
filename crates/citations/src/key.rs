//! Keys and ids of citations.

use std::fmt;

use sha1::{Digest, Sha1};

use crate::citation::{Citation, SourceKind};
use crate::js_format::print_number;
use crate::page_id::first_number;
use crate::verification::Verification;

/// Key of a citation in state and requests: 64 bits of SHA-1 over words and place, as the citation SDK computes
/// it.
///
/// The document is not part of it, so the same words on the same page of two documents share a key. See
/// [`crate::resolve::choose_key`].
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CitationKey([u8; 8]);

/// Collision-free id of a citation: 128 bits of BLAKE3 over words, place and source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CitationId([u8; 16]);

macro_rules! hexadecimal {
    ($type:ident) => {
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                const DIGITS: &[u8; 16] = b"0123456789abcdef";
                let mut text = [0; 2 * size_of::<Self>()];
                for (pair, byte) in text.chunks_exact_mut(2).zip(self.0) {
                    pair[0] = DIGITS[usize::from(byte >> 4)];
                    pair[1] = DIGITS[usize::from(byte & 15)];
                }
                f.write_str(std::str::from_utf8(&text).unwrap_or_default())
            }
        }

        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    };
}

hexadecimal!(CitationKey);
hexadecimal!(CitationId);

impl CitationKey {
    fn of_text(text: &str) -> Self {
        Self::finish(Sha1::new_with_prefix(text))
    }

    fn finish(hasher: Sha1) -> Self {
        let digest = hasher.finalize();
        let mut key = [0; 8];
        key.copy_from_slice(&digest[..8]);
        Self(key)
    }

    /// Reads 16 lower-case hexadecimal digits. Returns `None` for anything else.
    pub fn from_hex(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        if digits.len() != 16 {
            return None;
        }
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        let mut key = [0; 8];
        for (byte, pair) in key.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(Self(key))
    }

    /// Returns the key of a supporting fact of the citation with this key.
    pub fn child(self, index: u64) -> Self {
        Self::of_text(&format!("{self}|child|{index}"))
    }

    /// Returns the first half of an id, for a citation whose key belongs to another one.
    pub fn from_id(id: CitationId) -> Self {
        let mut key = [0; 8];
        key.copy_from_slice(&id.0[..8]);
        Self(key)
    }
}

impl Citation {
    /// Computes the key.
    pub fn key(&self) -> CitationKey {
        let mut hasher = Sha1::new();
        let mut hash = |part: &str| hasher.update(part.as_bytes());
        hash(self.full_phrase.as_deref().unwrap_or_default());
        hash("|");
        hash(self.anchor_text.as_deref().unwrap_or_default());
        hash("|");
        self.print_page(&mut hash);
        hash("|");
        self.line_ids.print(&mut hash);
        let more = match self.kind {
            SourceKind::Document | SourceKind::Other(_) => None,
            SourceKind::Url => Some(self.web_parts()),
            SourceKind::Audio | SourceKind::Video => Some(self.time_parts()),
        };
        for part in more.into_iter().flatten() {
            hash("|");
            hash(part);
        }
        CitationKey::finish(hasher)
    }

    /// Computes the id. Each part is hashed with its length, so that parts cannot run together.
    pub fn id(&self) -> CitationId {
        let (mut page, mut lines) = (String::new(), String::new());
        self.print_page(&mut |part| page.push_str(part));
        self.line_ids.print(&mut |part| lines.push_str(part));
        let own = [
            self.kind.name(crate::SdkVersion::V2),
            self.full_phrase.as_deref().unwrap_or_default(),
            self.anchor_text.as_deref().unwrap_or_default(),
            &page,
            &lines,
        ];
        let mut hasher = blake3::Hasher::new();
        for part in own
            .into_iter()
            .chain(self.time_parts())
            .chain(self.web_parts())
        {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        let mut id = [0; 16];
        id.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        CitationId(id)
    }

    /// Writes the page as the key needs it: a page number 0 counts as none, a 0 in a page id does not.
    fn print_page(&self, out: &mut impl FnMut(&str)) {
        let given = self
            .page_number
            .as_ref()
            .filter(|number| number.as_f64() != 0.0);
        match given {
            Some(number) => print_number(number, out),
            None => {
                if let Some(number) = self.start_page_id.as_deref().and_then(first_number) {
                    print_number(&number, out);
                }
            }
        }
    }

    fn web_parts(&self) -> [&str; 3] {
        match self.web.as_deref() {
            Some(web) => {
                [&web.url, &web.title, &web.domain].map(|part| part.as_deref().unwrap_or_default())
            }
            None => [""; 3],
        }
    }

    fn time_parts(&self) -> [&str; 3] {
        let times = self.timestamps.as_ref();
        [
            self.attachment_id.as_deref().unwrap_or_default(),
            times
                .and_then(|times| times.start_time.as_deref())
                .unwrap_or_default(),
            times
                .and_then(|times| times.end_time.as_deref())
                .unwrap_or_default(),
        ]
    }
}

impl Verification {
    /// Computes the key of the verification.
    pub fn key(&self) -> CitationKey {
        let document = self.document.clone().unwrap_or_default();
        let number =
            |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
        let lines: Vec<String> = document
            .verified_line_ids
            .iter()
            .map(u64::to_string)
            .collect();
        CitationKey::of_text(
            &[
                self.attachment_id.as_deref().unwrap_or_default(),
                self.label.as_deref().unwrap_or_default(),
                self.verified_full_phrase.as_deref().unwrap_or_default(),
                self.verified_anchor_text.as_deref().unwrap_or_default(),
                &lines.join(","),
                &number(document.verified_page_number),
                self.verified_match_snippet.as_deref().unwrap_or_default(),
                &number(document.hit_index_within_page),
            ]
            .join("|"),
        )
    }
}
