//! Problems of an input, with their positions.

/// Part of an input that could not be used as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{reason} (at byte {offset})")]
pub struct Problem {
    /// Byte offset in the input.
    pub offset: usize,
    /// Reason.
    pub reason: ProblemReason,
}

macro_rules! reasons {
    ($($(#[$meta:meta])* $reason:ident = $code:literal, $sentence:literal;)*) => {
        /// Reason why a part of an input could not be used as written. The codes are stable.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
        #[non_exhaustive]
        pub enum ProblemReason {
            $($(#[$meta])* #[error($sentence)] $reason,)*
        }

        impl ProblemReason {
            /// All reasons.
            pub const ALL: &[Self] = &[$(Self::$reason,)*];

            /// Returns the stable code, for logs and clients.
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
    /// A data block longer than 1 MiB without a complete entry.
    BlockTooLong = "block_too_long", "the data block is too long and is shown as text";
    /// A data block without an entry.
    EmptyBlock = "empty_block", "the data block holds no citation";
    /// JSON with mistakes that were repaired.
    MendedJson = "mended_json", "the JSON has mistakes and was read around them";
    /// An entry that is no object.
    NotAnObject = "not_an_object", "this entry is no object";
    /// An entry whose JSON could not be read.
    BadItem = "bad_item", "this entry cannot be read";
    /// An entry that was cut off.
    UnfinishedItem = "unfinished_item", "this entry is cut off";
    /// An entry without a quote.
    NoPhrase = "no_phrase", "this entry quotes nothing";
    /// An entry without a number for markers.
    NoNumber = "no_number", "this entry has no number that a marker could name";
    /// A page id in an unknown form.
    BadPage = "bad_page", "the page id is in no known form";
    /// Line ids that are no list of numbers.
    BadLines = "bad_lines", "the line ids are no list of numbers";
    /// JSON nested deeper than the parser reads.
    TooDeep = "too_deep", "nested too deep to be read";
    /// A tag without an end.
    UnfinishedTag = "unfinished_tag", "the tag has no end and is shown as text";
    /// A tag longer than 16 KiB.
    TagTooLong = "tag_too_long", "the tag is too long and is shown as text";
    /// A marker with a number that no entry has.
    MarkerWithoutEntry = "marker_without_entry", "no entry has the number of this marker";
    /// More different markers than the parser tracks.
    TooManyMarkers = "too_many_markers", "there are too many different markers to follow";
    /// A string of a JSON answer that is too long to search for citations.
    StringTooLong = "string_too_long", "the string is too long to look for citations in it";
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn codes_are_unique_and_lower_case() {
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
