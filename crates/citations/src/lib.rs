//! Citations in what models write: read, keyed, typed.
//!
//! A model cites in many ways: `[1]` with a data block at the end, `<cite …/>` tags, links, JSON,
//! footnotes. A [`CitationParser`] takes an answer delta by delta and reports each citation the moment it is
//! complete, the markers that refer to it, and the text to show; it never fails, and what it cannot
//! use it reports as a [`Problem`]. [`ParsedAnswer`] does the same for a whole answer at once:
//!
//! ```
//! use citations::{SdkVersion, ParsedAnswer};
//!
//! let reading = ParsedAnswer::of(concat!(
//!     "High tide was at noon [1].\n\n<<<CITATION_DATA>>>\n",
//!     r#"{"log":[{"id":1,"full_phrase":"High tide was at 12:04","anchor_text":"12:04","page_id":"2_1"}]}"#,
//!     "\n<<<END_CITATION_DATA>>>",
//! ));
//! assert_eq!(reading.visible.trim(), "High tide was at noon [1].");
//! let cited = &reading.citations[0];
//! assert_eq!(cited.found.citation.page(), Some(2));
//! assert_eq!(cited.markers.as_slice(), [0]);
//! assert_eq!(cited.found.key, cited.found.citation.key());
//! let json = cited.found.citation.to_json(SdkVersion::V3);
//! assert_eq!(json["sourceMatch"].as_str(), Some("12:04"));
//! ```
//!
//! A [`Citation`] is what an agent claims, a [`Verification`] what is true of it. Both convert to and
//! from JSON under the field names of two generations ([`SdkVersion`]); both are always understood. A
//! [`CitationKey`] names a citation on the wire; it leaves out the document, so two citations can share one,
//! and an [`CitationId`] does not.

pub mod check;
mod citation;
mod deep_text;
pub mod dialects;
mod display;
mod field_aliases;
mod field_names;
mod js_format;
mod key;
mod line_ids;
pub mod object;
mod page_id;
mod parsed_answer;
mod parser;
mod problem;
pub mod resolve;
mod search_attempt;
mod status;
mod verification;

pub use citation::{Citation, RecordingSpan, SourceKind, SupportingFact, WebSource};
pub use deep_text::{deep_text, deep_text_pages, page_texts};
pub use display::{DisplayState, SOURCE_MISSING, difference, escaped};
pub use field_names::SdkVersion;
pub use js_format::print_number;
pub use key::{CitationId, CitationKey};
pub use line_ids::LineIds;
pub use parsed_answer::{CitedPassage, ParsedAnswer};
pub use parser::{CitationForm, CitationParser, Marker, MarkerTarget, ParseEvent, ParsedCitation};
pub use problem::{Problem, ProblemReason};
pub use search_attempt::{
    MatchTrust, PhraseType, QuoteVariation, SearchAttempt, SearchLocation, SearchMethod,
    SearchScope, SearchedLines, VariationType,
};
pub use status::{StatusFlags, VerificationStatus};
pub use verification::{
    ConfidenceLevel, ContentMatch, DocumentMatch, DownloadLink, EvidenceImage, ExpiringLink,
    ImageSize, MatchAmbiguity, MatchBox, PageImage, RenderScale, TextItem, UrlAccess, UrlMatch,
    Verification, VerificationProblem,
};
