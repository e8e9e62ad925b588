//! Verification of citations, reviews and evidence pages.

use std::borrow::Cow;
use std::fmt;

use ::citations::Citation;
use json::{Map, Value};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Unexpected, Visitor};
use serde::{Deserialize as DeserializeType, Serialize};
use store::ReviewAction;

use super::json_request::kind;
use super::raw_json::raw_json_types;
use super::{JsonMap, RawJson};

raw_json_types! {
    /// Citation in the names of the SDK version that the header `X-SDK-Version` selects, such as `fullPhrase`,
    /// `anchorText`, `attachmentId` and `pageNumber`.
    CitationJson = { "type": "object", "additionalProperties": true };
    /// Verification of a citation, in the names of the SDK version that the header `X-SDK-Version` selects.
    VerificationJson = {
        "type": "object",
        "properties": {
            "status": { "type": "string", "description": "Status of the citation, such as `found` or `not_found`." }
        },
        "required": ["status"],
        "additionalProperties": true
    };
}

/// Citation that a client sends.
#[derive(Debug)]
pub(crate) struct CitationInput(pub(crate) Citation);

impl<'de> Deserialize<'de> for CitationInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(CitationVisitor)
    }
}

struct CitationVisitor;

impl<'de> Visitor<'de> for CitationVisitor {
    type Value = CitationInput;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a citation")
    }

    /// Unknown or wrong members are ignored, except for those that say where to search: without them the citation
    /// would be verified in the wrong place.
    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<CitationInput, A::Error> {
        let mut map = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            let value = match key.as_str() {
                "attachmentId" | "attachment_id" | "fileId" | "file_id" => {
                    members.next_value::<Option<String>>()?.into()
                }
                "pageNumber" | "page_number" => members.next_value::<NumberOrNull>()?.0,
                _ => members.next_value::<RawJson>()?.into_value(),
            };
            map.insert(key, value);
        }
        let citation = Citation::from_json(&Value::Object(map));
        let citation = citation.ok_or_else(|| A::Error::custom("is not a citation"))?;
        Ok(CitationInput(citation))
    }
}

/// Number of any size, or null.
struct NumberOrNull(Value);

impl<'de> Deserialize<'de> for NumberOrNull {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match RawJson::deserialize(deserializer)?.into_value() {
            value @ (Value::Null | Value::Number(_)) => Ok(Self(value)),
            other => Err(D::Error::invalid_type(
                Unexpected::Other(kind(&other)),
                &"a number",
            )),
        }
    }
}

impl JsonSchema for CitationInput {
    fn schema_name() -> Cow<'static, str> {
        "CitationInput".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let text = |about: &str| json_schema!({ "type": ["string", "null"], "description": about });
        json_schema!({
            "type": "object",
            "description": "Citation to verify. Other members and the names of all SDK versions are accepted, too.",
            "properties": {
                "fullPhrase": text("Quote."),
                "anchorText": text("Key words of the quote."),
                "attachmentId": text("Source: attachment id, document id, file name, title, path or address."),
                "pageNumber": { "type": ["number", "null"], "description": "Page, from 1." },
            },
            "additionalProperties": true,
        })
    }
}

/// Citations to verify: in an answer, or as they are.
#[derive(Debug, DeserializeType, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VerifyBody {
    /// Answer that contains citations in any supported form.
    pub(crate) text: Option<String>,
    /// Citations by key.
    pub(crate) citations: Option<JsonMap<CitationInput>>,
    /// Documents to search; all documents of the principal if absent.
    pub(crate) attachment_ids: Option<Vec<String>>,
}

/// Result of a verification.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct VerifyResponse {
    /// Citations by key.
    pub(crate) citations: JsonMap<CitationJson>,
    /// Verifications by the key of their citation.
    pub(crate) verifications: JsonMap<VerificationJson>,
    /// Parts of the answer that could not be read as citations, and citations with a problem.
    pub(crate) problems: Vec<CitationProblem>,
}

/// Event of a streamed verification: one result.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct VerifyEvent {
    /// Key of the citation.
    pub(crate) key: String,
    /// Citation.
    pub(crate) citation: CitationJson,
    /// Its verification.
    pub(crate) verification: VerificationJson,
}

/// Last event of a streamed verification, named `end`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct VerifyEnd {
    /// Parts of the answer that could not be read as citations, and citations with a problem.
    pub(crate) problems: Vec<CitationProblem>,
}

/// Part of an answer that could not be read as a citation, or a citation whose source or page does not exist.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CitationProblem {
    /// Code of the problem.
    pub(crate) code: &'static str,
    /// Description of the problem.
    pub(crate) message: String,
    /// Position in the answer, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) offset: Option<usize>,
    /// Key of the citation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<String>,
    /// Source that the citation names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) attachment_id: Option<String>,
    /// Page that the citation names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) page_number: Option<u64>,
}

/// Step of a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, DeserializeType, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ReviewActionName {
    /// The reviewer opened the evidence.
    Opened,
    /// The reviewer closed the evidence.
    Closed,
    /// The reviewer accepts the citation.
    Accepted,
    /// The reviewer disputes the citation.
    Disputed,
}

impl From<ReviewActionName> for ReviewAction {
    fn from(name: ReviewActionName) -> Self {
        match name {
            ReviewActionName::Opened => Self::Opened,
            ReviewActionName::Closed => Self::Closed,
            ReviewActionName::Accepted => Self::Accepted,
            ReviewActionName::Disputed => Self::Disputed,
        }
    }
}

impl From<ReviewAction> for ReviewActionName {
    fn from(action: ReviewAction) -> Self {
        match action {
            ReviewAction::Opened => Self::Opened,
            ReviewAction::Closed => Self::Closed,
            ReviewAction::Accepted => Self::Accepted,
            ReviewAction::Disputed => Self::Disputed,
        }
    }
}

/// Step to add to the review of a citation.
#[derive(Debug, DeserializeType, JsonSchema)]
pub(crate) struct ReviewRequest {
    /// Step.
    pub(crate) action: ReviewActionName,
    /// Time of the step: RFC 3339, or milliseconds since 1970; now if absent.
    #[serde(default)]
    #[schemars(schema_with = "time_schema")]
    pub(crate) at: Option<RawJson>,
    /// Reason.
    pub(crate) note: Option<String>,
}

fn time_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["string", "integer"] })
}

/// Review of a citation.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReviewList {
    /// Steps, the last first.
    pub(crate) items: Vec<ReviewInfo>,
}

/// Step of the review of a citation.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReviewInfo {
    /// Citation key.
    pub(crate) key: String,
    /// Step.
    pub(crate) action: ReviewActionName,
    /// Time of the step (RFC 3339).
    pub(crate) at: String,
    /// Reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
}

/// Form of an evidence page.
#[derive(Debug, Default, DeserializeType, JsonSchema)]
pub(crate) struct EvidenceQuery {
    /// Content as JSON, or an image, instead of the page; the page if absent.
    #[schemars(extend("enum" = ["html", "json", "webp", "png", "jpeg", "avif"]))]
    pub(crate) format: Option<String>,
    /// Area that the image shows: the passage, or its whole page. The passage if absent.
    #[schemars(extend("enum" = ["snippet", "page"]))]
    pub(crate) view: Option<String>,
    /// Page to show, if the passage is on several.
    #[schemars(with = "Option<u32>", range(min = 1))]
    pub(crate) page: Option<String>,
}

/// Signed link to create.
#[derive(Debug, Default, DeserializeType, JsonSchema)]
pub(crate) struct LinkRequest {
    /// Lifetime in seconds; a week if absent.
    #[schemars(range(min = 1, max = 31_622_400))]
    pub(crate) seconds: Option<u64>,
}

/// Signed link to an evidence page. It works without a key until it expires.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SignedLink {
    /// Address.
    pub(crate) url: String,
    /// Time at which it expires (RFC 3339).
    pub(crate) expires_at: String,
}
