//! What was wrong with an input, and where.

/// Something in the input that could not be used as it stood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{reason} (at byte {offset})")]
pub struct Problem {
    /// Byte offset in the input.
    pub offset: usize,
    /// What is wrong there.
    pub reason: ProblemReason,
}

macro_rules! reasons {
    ($($(#[$meta:meta])* $reason:ident = $code:literal, $sentence:literal;)*) => {
        /// Why something could not be used. The code names are stable.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
        #[non_exhaustive]
        pub enum ProblemReason {
            $($(#[$meta])* #[error($sentence)] $reason,)*
        }

        impl ProblemReason {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$reason,)*];

            /// The stable name, for logs and for clients.
            pub fn code(self) -> &'static str {
                match self {
                    $(Self::$reason => $code,)*
                }
            }
        }
    };
}

reasons! {
    /// A data block without an end.
    UnfinishedBlock = "unfinished_block", "the data block has no end";
    /// More than a block may hold without one complete item.
    BlockTooLong = "block_too_long", "the data block is too long and is shown as text";
    /// A block without any item.
    EmptyBlock = "empty_block", "the data block holds no citation";
    /// JSON that had to be mended to be read.
    MendedJson = "mended_json", "the JSON has mistakes and was read around them";
    /// An item that is no object.
    NotAnObject = "not_an_object", "this entry is no object";
    /// An item whose JSON could not be read.
    BadItem = "bad_item", "this entry cannot be read";
    /// An item that was cut off.
    UnfinishedItem = "unfinished_item", "this entry is cut off";
    /// An item without the quoted words.
    NoPhrase = "no_phrase", "this entry quotes nothing";
    /// An item without a number that markers could name.
    NoNumber = "no_number", "this entry has no number that a marker could name";
    /// A page id in no form we know.
    BadPage = "bad_page", "the page id is in no known form";
    /// Line ids that are no list of numbers.
    BadLines = "bad_lines", "the line ids are no list of numbers";
    /// Nesting beyond what is followed.
    TooDeep = "too_deep", "nested too deep to be read";
    /// A tag without an end.
    UnfinishedTag = "unfinished_tag", "the tag has no end and is shown as text";
    /// More than a tag may hold.
    TagTooLong = "tag_too_long", "the tag is too long and is shown as text";
    /// A number in the text that no entry has.
    MarkerWithoutEntry = "marker_without_entry", "no entry has the number of this marker";
    /// More different markers than are followed.
    TooManyMarkers = "too_many_markers", "there are too many different markers to follow";
    /// A string of structured output that is too long to look into.
    StringTooLong = "string_too_long", "the string is too long to look for citations in it";
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn codes_are_different_and_plain() {
        let codes: HashSet<&str> = ProblemReason::ALL
            .iter()
            .map(|reason| reason.code())
            .collect();
        assert_eq!(codes.len(), ProblemReason::ALL.len());
        for code in codes {
            assert!(
                code.bytes()
                    .all(|byte| byte == b'_' || byte.is_ascii_lowercase())
            );
        }
    }
}
