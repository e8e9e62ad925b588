//! Citations in model output: parsing, checking, resolving and showing them.
//!
//! Models cite in many forms: markers such as `[1]` with a data block at the end, `<cite …/>` tags, links,
//! JSON, footnotes. A [`CitationParser`] receives an answer delta by delta. It reports each citation as soon
//! as it is complete, the markers that refer to it, and the text to show. It never fails: a part that it
//! cannot use is reported as a [`Problem`]. [`ParsedAnswer`] does the same for a whole answer:
//!
//! ```
//! use citations::{SdkVersion, ParsedAnswer};
//!
//! let answer = ParsedAnswer::of(concat!(
//!     "High tide was at noon [1].\n\n<<<CITATION_DATA>>>\n",
//!     r#"{"log":[{"id":1,"full_phrase":"High tide was at 12:04","anchor_text":"12:04","page_id":"2_1"}]}"#,
//!     "\n<<<END_CITATION_DATA>>>",
//! ));
//! assert_eq!(answer.visible.trim(), "High tide was at noon [1].");
//! let cited = &answer.citations[0];
//! assert_eq!(cited.found.citation.page(), Some(2));
//! assert_eq!(cited.markers.as_slice(), [0]);
//! assert_eq!(cited.found.key, cited.found.citation.key());
//! let json = cited.found.citation.to_json(SdkVersion::V3);
//! assert_eq!(json["sourceMatch"].as_str(), Some("12:04"));
//! ```
//!
//! A [`Citation`] claims that a source contains a quote; a [`check::CitationChecker`] compares it with a
//! document. The result is a [`check::Verdict`], which holds the [`Verification`] that clients read. [`resolve`]
//! decides which documents a citation means and which verdict counts.
//!
//! Citations and verifications are written under the field names of one SDK version ([`SdkVersion`]) and read
//! under those of both. A [`CitationKey`] identifies a citation in state and requests. It leaves out the
//! document, so two citations can share one; a [`CitationId`] has no collisions.

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
mod prompt;
mod quotations;
pub mod resolve;
mod search_attempt;
mod status;
mod status_flags;
mod text_item;
mod verification;

pub use citation::{Citation, RecordingSpan, SourceKind, SupportingFact, WebSource};
pub use deep_text::{deep_text, deep_text_excerpt, deep_text_pages, page_texts};
pub use display::{DisplayState, SOURCE_MISSING, difference, escaped};
pub use field_names::SdkVersion;
pub use js_format::print_number;
pub use key::{CitationId, CitationKey};
pub use line_ids::LineIds;
pub use parsed_answer::{CitedPassage, ParsedAnswer};
pub use parser::{CitationForm, CitationParser, Marker, MarkerTarget, ParseEvent, ParsedCitation};
pub use problem::{Problem, ProblemReason};
pub use prompt::PromptFormat;
pub use quotations::{Attribution, Quotation, WrittenReference, find_quotations, read_reference};
pub use search_attempt::{
    MatchTrust, PhraseType, QuoteVariation, SearchAttempt, SearchLocation, SearchMethod,
    SearchScope, SearchedLines, VariationType,
};
pub use status::VerificationStatus;
pub use status_flags::StatusFlags;
pub use text_item::TextItem;
pub use verification::{
    ConfidenceLevel, ContentMatch, DocumentMatch, DownloadLink, EvidenceImage, ExpiringLink,
    ImageSize, MatchAmbiguity, MatchBox, PageImage, RenderScale, UrlAccess, UrlMatch, Verification,
    VerificationProblem, verification_schema,
};
