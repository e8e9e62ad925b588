//! Citations: quotes and the places where they should be.

use json::{Map, Number, Value};

use crate::field_aliases::{CitationField, resolve};
use crate::field_names::schema::{ObjectSchema, SdkSchema};
use crate::field_names::{
    SdkJson, SdkMember, SdkVersion, member, record, tree, vocabulary, write_member, write_object,
};
use crate::line_ids::LineIds;
use crate::object::ObjectWriter;
use crate::page_id::{first_number, number_of};

vocabulary! {
    /// Kind of source.
    pub enum SourceKind {
        /// A document with pages and lines.
        Document = "document",
        /// A web page.
        Url = "url",
        /// A sound recording.
        Audio = "audio",
        /// A video.
        Video = "video",
    }
}

#[expect(clippy::derivable_impls, reason = "the macro writes the enum")]
impl Default for SourceKind {
    fn default() -> Self {
        Self::Document
    }
}

record! {
    /// Part of a recording.
    pub struct RecordingSpan {
        /// Start, as `HH:MM:SS.SSS`.
        start_time: Option<String> = "startTime",
        /// End, as `HH:MM:SS.SSS`.
        end_time: Option<String> = "endTime",
    }
}

record! {
    /// Description of a web page.
    pub struct WebSource {
        /// Address.
        url: Option<String> = "url",
        /// Domain.
        domain: Option<String> = "domain",
        /// Title.
        title: Option<String> = "title",
        /// Description.
        description: Option<String> = "description",
        /// Address of the icon.
        favicon_url: Option<String> = "faviconUrl",
        /// Kind of page.
        source_type: Option<String> = "sourceType",
        /// Platform that hosts the page.
        platform: Option<String> = "platform",
        /// Name of the site.
        site_name: Option<String> = "siteName",
        /// Author.
        author: Option<String> = "author",
        /// Time of publication, in ISO 8601.
        published_at: Option<String> = "publishedAt",
        /// Address of the page's picture.
        image_url: Option<String> = "imageUrl",
        /// Time at which the page was read, in ISO 8601.
        accessed_at: Option<String> = "accessedAt",
    }
}

record! {
    /// Further passage that supports a citation.
    pub struct SupportingFact {
        /// Document, if it is another one than that of the citation.
        attachment_id: Option<String> = "attachmentId",
        /// Page number, from 1.
        page_number: Option<Number> = "pageNumber",
        /// Page id.
        start_page_id: Option<String> = "startPageId",
        /// Quote.
        full_phrase: Option<String> = "fullPhrase" | "sourceContext",
        /// Key words of the quote.
        anchor_text: Option<String> = "anchorText" | "sourceMatch",
        /// Lines.
        line_ids: LineIds = "lineIds",
        /// Position among the facts of its citation.
        child_index: Option<u64> = "childIndex",
    }
}

/// Page id of a tag that names no page.
const PAGE_ID_OF_TAG: &str = "page_number_1_index_0";

/// Claim that a source contains a quote.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Citation {
    /// Kind of source.
    pub kind: SourceKind,
    /// Name of the source: an attachment id, or one of the names of [`crate::resolve::SourceCandidate`].
    pub attachment_id: Option<String>,
    /// Page number, from 1. See [`Citation::page`].
    pub page_number: Option<Number>,
    /// Page id.
    pub start_page_id: Option<String>,
    /// Quote.
    pub full_phrase: Option<String>,
    /// Key words of the quote.
    pub anchor_text: Option<String>,
    /// Claim in the agent's own words.
    pub claim_text: Option<String>,
    /// Number that markers in the text use.
    pub citation_number: Option<Number>,
    /// Lines on the page.
    pub line_ids: LineIds,
    /// Reason for the citation.
    pub reasoning: Option<String>,
    /// Part of a recording.
    pub timestamps: Option<RecordingSpan>,
    /// Further passages.
    pub supporting_facts: Vec<SupportingFact>,
    /// Description of a web page.
    pub web: Option<Box<WebSource>>,
}

impl Citation {
    /// Returns the page number; taken from the page id if there is none.
    ///
    /// A tag without a page has the id of page 1 and no number, because its key depends on the id. It names no
    /// page.
    pub fn page(&self) -> Option<u64> {
        let id = self.start_page_id.as_deref();
        let from_id = || first_number(id.filter(|id| *id != PAGE_ID_OF_TAG)?);
        let number = self.page_number.clone().or_else(from_id)?;
        u64::try_from(number.as_safe_int()?).ok()
    }

    /// Returns the printed label of the page, such as "iv", if the citation names the page by it.
    pub fn page_label(&self) -> Option<&str> {
        let id = self.start_page_id.as_deref()?.trim();
        let is_label = self.page_number.is_none()
            && (1..=12).contains(&id.len())
            && !id.bytes().any(|byte| byte == b'_' || byte.is_ascii_digit());
        is_label.then_some(id)
    }

    /// Sets the page by its printed label: a number or a Roman numeral. Other labels are ignored.
    pub fn set_page_label(&mut self, label: &str) {
        if label.bytes().all(|byte| byte.is_ascii_digit()) {
            self.page_number = Some(number_of(label));
        } else if passage::parse_roman(label).is_some() {
            self.start_page_id = Some(label.to_owned());
        }
    }

    /// Returns the number `N` of the marker `[N]`.
    pub fn marker(&self) -> Option<u64> {
        u64::try_from(self.citation_number.as_ref()?.as_safe_int()?).ok()
    }

    /// Reads a citation under any alias of its fields. Returns `None` if the value is no object.
    pub fn from_json(value: &Value) -> Option<Self> {
        let map = value.as_object()?;
        let text = |field| resolve(map, field).and_then(scalar);
        let mut web = WebSource::from_json(value)?;
        web.url = text(CitationField::Url);
        web.description = text(CitationField::Description);
        web.favicon_url = text(CitationField::Favicon);
        web.site_name = text(CitationField::SiteName);
        web.source_type = text(CitationField::SourceType);
        let attachment_id = text(CitationField::Attachment);
        let timestamps = resolve(map, CitationField::Timestamps).and_then(RecordingSpan::read);
        let kind = match map.get("type").and_then(Value::as_str) {
            Some(kind) => SourceKind::from_name(kind),
            None if web.url.is_some() && attachment_id.is_none() => SourceKind::Url,
            None if timestamps.is_some() => SourceKind::Audio,
            None => SourceKind::Document,
        };
        Some(Self {
            kind,
            attachment_id,
            page_number: SdkMember::take(resolve(map, CitationField::PageNumber)),
            start_page_id: text(CitationField::PageId),
            full_phrase: text(CitationField::Phrase),
            anchor_text: text(CitationField::Anchor).or_else(|| text(CitationField::Value)),
            claim_text: text(CitationField::Claim),
            citation_number: SdkMember::take(resolve(map, CitationField::CitationNumber)),
            line_ids: resolve(map, CitationField::Lines)
                .map(LineIds::as_given)
                .unwrap_or_default(),
            reasoning: text(CitationField::Reasoning),
            timestamps,
            supporting_facts: SdkMember::take(resolve(map, CitationField::Supporting)),
            web: (web != WebSource::default()).then(|| Box::new(web)),
        })
    }

    /// Returns the JSON form under the names of a version; absent fields are left out.
    pub fn to_json(&self, version: SdkVersion) -> Value {
        tree(self, version)
    }

    /// Returns the JSON form as text.
    pub fn to_text(&self, version: SdkVersion) -> String {
        let phrase = self.full_phrase.as_ref().map_or(0, String::len);
        let mut text = String::with_capacity(phrase + 256);
        self.write(version, &mut text);
        text
    }

    fn write_members(&self, version: SdkVersion, object: &mut ObjectWriter) {
        self.kind.write(version, object.key("type"));
        write_member(object, "attachmentId", &self.attachment_id, version);
        if let Some(web) = &self.web {
            web.write_members(version, object);
        }
        write_member(object, "pageNumber", &self.page_number, version);
        write_member(object, "startPageId", &self.start_page_id, version);
        let phrase = version.pick("fullPhrase", "sourceContext");
        write_member(object, phrase, &self.full_phrase, version);
        let anchor = version.pick("anchorText", "sourceMatch");
        write_member(object, anchor, &self.anchor_text, version);
        write_member(object, "claimText", &self.claim_text, version);
        write_member(object, "citationNumber", &self.citation_number, version);
        write_member(object, "lineIds", &self.line_ids, version);
        write_member(object, "timestamps", &self.timestamps, version);
        write_member(object, "reasoning", &self.reasoning, version);
        write_member(object, "supportingFacts", &self.supporting_facts, version);
    }
}

/// Returns a scalar as text. Numbers may be quoted words, too.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(_) | Value::Number(_) | Value::Bool(_) => {
            Some(crate::js_format::text(value).into_owned())
        }
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

impl SdkJson for Citation {
    fn read(value: &Value) -> Option<Self> {
        Self::from_json(value)
    }

    fn write(&self, version: SdkVersion, out: &mut String) {
        write_object(out, |object| self.write_members(version, object));
    }
}

impl SdkSchema for Citation {
    fn schema(version: SdkVersion, definitions: &mut Map) -> Value {
        let docs = ["doc = \"Claim that a source contains a quote.\""];
        let mut object = ObjectSchema::new(version, &docs);
        object.member::<Option<SourceKind>>("type", &["doc = \"Kind of source.\""], definitions);
        let mut text = |name: &str, docs: &str| {
            object.member::<Option<String>>(name, &[&format!("doc = \"{docs}\"")], definitions);
        };
        text(
            "attachmentId",
            "Name of the source as the citation writes it.",
        );
        text(
            "startPageId",
            "Page id, or a printed label such as a Roman numeral.",
        );
        text(version.pick("fullPhrase", "sourceContext"), "Quote.");
        text(
            version.pick("anchorText", "sourceMatch"),
            "Key words of the quote.",
        );
        text("claimText", "Claim in the agent's own words.");
        text("reasoning", "Reason for the citation.");
        let mut number = |name: &str, docs: &str| {
            object.member::<Option<Number>>(name, &[&format!("doc = \"{docs}\"")], definitions);
        };
        number("pageNumber", "Page number, from 1.");
        number("citationNumber", "Number that markers in the text use.");
        object.member::<LineIds>("lineIds", &["doc = \"Lines on the page.\""], definitions);
        let docs = ["doc = \"Part of a recording.\""];
        object.member::<Option<RecordingSpan>>("timestamps", &docs, definitions);
        let docs = ["doc = \"Further passages.\""];
        object.member::<Vec<SupportingFact>>("supportingFacts", &docs, definitions);
        // The members of a web page are members of the citation.
        WebSource::schema(version, definitions);
        if let Some(web) = definitions.remove("WebSource") {
            object.members_of(&web);
        }
        object.define("Citation", definitions)
    }
}

impl SdkSchema for Box<Citation> {
    fn schema(version: SdkVersion, definitions: &mut Map) -> Value {
        <Citation as SdkSchema>::schema(version, definitions)
    }
}

impl SdkJson for Box<Citation> {
    fn read(value: &Value) -> Option<Self> {
        Citation::from_json(value).map(Box::new)
    }

    fn write(&self, version: SdkVersion, out: &mut String) {
        (**self).write(version, out);
    }
}

impl RecordingSpan {
    /// Reads the start and end of a recording under all names that data blocks use.
    pub(crate) fn from_block(value: &Value) -> Self {
        let Some(map) = value.as_object() else {
            return Self::default();
        };
        let time = |names: [&str; 3]| {
            let given = names.iter().find_map(|name| member(map, name, name))?;
            crate::js_format::truthy(given).then(|| crate::js_format::text(given).into_owned())
        };
        Self {
            start_time: time(["s", "start_time", "startTime"]),
            end_time: time(["e", "end_time", "endTime"]),
        }
    }
}
