//! What an agent claims: a quotation and where it should stand.

use json::{Number, Value};

use crate::field_aliases::{CitationField, resolve};
use crate::field_names::{
    SdkJson, SdkMember, SdkVersion, member, record, tree, vocabulary, write_object,
};
use crate::line_ids::LineIds;
use crate::object::ObjectWriter;
use crate::page_id::first_number;

vocabulary! {
    /// What kind of source is cited.
    pub enum SourceKind {
        /// A document with pages and lines.
        Document = "document",
        /// A web page.
        Url = "url",
        /// A recording of sound.
        Audio = "audio",
        /// A film.
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
    /// A stretch of a recording.
    pub struct RecordingSpan {
        /// Where it begins, `HH:MM:SS.SSS`.
        start_time: Option<String> = "startTime",
        /// Where it ends.
        end_time: Option<String> = "endTime",
    }
}

record! {
    /// What is known of a web page.
    pub struct WebSource {
        /// Its address.
        url: Option<String> = "url",
        /// Its domain.
        domain: Option<String> = "domain",
        /// Its title.
        title: Option<String> = "title",
        /// Its description.
        description: Option<String> = "description",
        /// Its icon.
        favicon_url: Option<String> = "faviconUrl",
        /// What kind of page it is.
        source_type: Option<String> = "sourceType",
        /// The platform it is on.
        platform: Option<String> = "platform",
        /// The name of the site.
        site_name: Option<String> = "siteName",
        /// Its author.
        author: Option<String> = "author",
        /// When it was published, as an ISO date.
        published_at: Option<String> = "publishedAt",
        /// Its picture.
        image_url: Option<String> = "imageUrl",
        /// When it was read, as an ISO date.
        accessed_at: Option<String> = "accessedAt",
    }
}

record! {
    /// A further passage that supports a citation.
    pub struct SupportingFact {
        /// The document, if it is another one.
        attachment_id: Option<String> = "attachmentId",
        /// The page.
        page_number: Option<Number> = "pageNumber",
        /// The page id.
        start_page_id: Option<String> = "startPageId",
        /// The quoted words.
        full_phrase: Option<String> = "fullPhrase" | "sourceContext",
        /// Their key words.
        anchor_text: Option<String> = "anchorText" | "sourceMatch",
        /// The lines.
        line_ids: LineIds = "lineIds",
        /// Its number among the facts of its citation.
        child_index: Option<u64> = "childIndex",
    }
}

/// A quotation and where it should stand.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Citation {
    /// What kind of source is cited.
    pub kind: SourceKind,
    /// The document.
    pub attachment_id: Option<String>,
    /// The page, from 1. See [`Citation::page`].
    pub page_number: Option<Number>,
    /// The page id.
    pub start_page_id: Option<String>,
    /// The quoted words.
    pub full_phrase: Option<String>,
    /// Their key words.
    pub anchor_text: Option<String>,
    /// What the agent says in its own words.
    pub claim_text: Option<String>,
    /// The number that markers in the text use.
    pub citation_number: Option<Number>,
    /// The lines.
    pub line_ids: LineIds,
    /// Why it is cited.
    pub reasoning: Option<String>,
    /// The stretch of a recording.
    pub timestamps: Option<RecordingSpan>,
    /// Further passages.
    pub supporting_facts: Vec<SupportingFact>,
    /// What is known of a web page.
    pub web: Option<Box<WebSource>>,
}

impl Citation {
    /// The page as a number, if it names one.
    pub fn page(&self) -> Option<u64> {
        let from_id = || first_number(self.start_page_id.as_deref()?);
        let number = self.page_number.clone().or_else(from_id)?;
        u64::try_from(number.as_safe_int()?).ok()
    }

    /// The marker `[N]` that names it, if its number is one.
    pub fn marker(&self) -> Option<u64> {
        u64::try_from(self.citation_number.as_ref()?.as_safe_int()?).ok()
    }

    /// Reads one, under any alias of its fields; nothing if it is no object.
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

    /// Its JSON under the names of that generation; absent fields are left out.
    pub fn to_json(&self, names: SdkVersion) -> Value {
        tree(self, names)
    }

    /// The same as text.
    pub fn to_text(&self, names: SdkVersion) -> String {
        let phrase = self.full_phrase.as_ref().map_or(0, String::len);
        let mut text = String::with_capacity(phrase + 256);
        self.write(names, &mut text);
        text
    }

    fn write_members(&self, names: SdkVersion, object: &mut ObjectWriter) {
        self.kind.write(names, object.key("type"));
        object.slot("attachmentId", &self.attachment_id, names);
        if let Some(web) = &self.web {
            web.write_members(names, object);
        }
        object.slot("pageNumber", &self.page_number, names);
        object.slot("startPageId", &self.start_page_id, names);
        let phrase = names.pick("fullPhrase", "sourceContext");
        object.slot(phrase, &self.full_phrase, names);
        let anchor = names.pick("anchorText", "sourceMatch");
        object.slot(anchor, &self.anchor_text, names);
        object.slot("claimText", &self.claim_text, names);
        object.slot("citationNumber", &self.citation_number, names);
        object.slot("lineIds", &self.line_ids, names);
        object.slot("timestamps", &self.timestamps, names);
        object.slot("reasoning", &self.reasoning, names);
        object.slot("supportingFacts", &self.supporting_facts, names);
    }
}

/// A scalar as text: numbers are quoted words too.
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

    fn write(&self, names: SdkVersion, out: &mut String) {
        write_object(out, |object| self.write_members(names, object));
    }
}

impl SdkJson for Box<Citation> {
    fn read(value: &Value) -> Option<Self> {
        Citation::from_json(value).map(Box::new)
    }

    fn write(&self, names: SdkVersion, out: &mut String) {
        (**self).write(names, out);
    }
}

impl RecordingSpan {
    /// Reads the names that data blocks use as well.
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
