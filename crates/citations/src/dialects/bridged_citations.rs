//! Lists of sources by message id, which chat frontends read from the state.

use json::{Map, Number, Value};

use crate::citation::{Citation, SourceKind, WebSource};

/// Source of a message, with one name for each field.
#[derive(Debug, Clone, PartialEq)]
pub struct BridgedCitation {
    /// Id within the message.
    pub id: String,
    /// Number to show.
    pub index: Number,
    /// Title.
    pub title: Option<String>,
    /// Address.
    pub url: Option<String>,
    /// Text of the passage.
    pub snippet: Option<String>,
    /// Kind of source.
    pub source_type: Option<String>,
    /// Address of an icon.
    pub icon_url: Option<String>,
    /// Time of publication: a string or a number.
    pub published_at: Option<Value>,
    /// Anything else: an object or an array.
    pub extra: Option<Value>,
}

/// Meaning of an empty list for a message that has sources.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum EmptyListMeaning {
    /// The sources stay, as in the reference implementation.
    #[default]
    Keeps,
    /// The sources are removed.
    Clears,
}

impl BridgedCitation {
    /// Reads the `n`-th entry of a list, from 1. Every value is an entry.
    pub fn read(entry: &Value, n: usize) -> Self {
        let text = |names: &[&str]| {
            let texts = names.iter().filter_map(|name| entry.get(name)?.as_str());
            texts.map(str::to_owned).next()
        };
        let mut read = Self {
            id: text(&["id", "refId"]).unwrap_or_else(|| format!("c{n}")),
            index: match entry.get("index") {
                Some(Value::Number(index)) => index.clone(),
                _ => Number::Int(i64::try_from(n).unwrap_or(i64::MAX)),
            },
            title: text(&["title", "name"]),
            url: text(&["url", "href", "source"]),
            snippet: text(&["snippet", "content", "excerpt"]),
            source_type: text(&["sourceType"]),
            icon_url: text(&["iconUrl"]),
            published_at: entry
                .get("publishedAt")
                .filter(|at| matches!(at, Value::String(_) | Value::Number(_)))
                .cloned(),
            extra: entry
                .get("extra")
                .filter(|extra| matches!(extra, Value::Object(_) | Value::Array(_)))
                .cloned(),
        };
        if let Value::String(url) = entry {
            read.url = Some(url.clone());
        }
        read
    }

    /// Returns the normalised form; absent fields are left out.
    pub fn to_json(&self) -> Value {
        let mut map = Map::new();
        let mut put = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                map.insert(name.to_owned(), value);
            }
        };
        let text = |text: &Option<String>| text.as_deref().map(Value::from);
        put("id", Some(Value::from(self.id.as_str())));
        put("index", Some(Value::Number(self.index.clone())));
        put("title", text(&self.title));
        put("url", text(&self.url));
        put("snippet", text(&self.snippet));
        put("sourceType", text(&self.source_type));
        put("iconUrl", text(&self.icon_url));
        put("publishedAt", self.published_at.clone());
        put("extra", self.extra.clone());
        Value::Object(map)
    }

    /// Returns a citation that can be checked, or `None` if there is no text.
    pub fn to_citation(&self) -> Option<Citation> {
        let snippet = self
            .snippet
            .clone()
            .filter(|text| !text.trim().is_empty())?;
        let named = |name: &str| {
            let extra = self.extra.as_ref()?;
            extra.get(name)?.as_str().map(str::to_owned)
        };
        let attachment_id = named("attachmentId").or_else(|| named("attachment_id"));
        let kind = match (&attachment_id, &self.url) {
            (None, Some(_)) => SourceKind::Url,
            _ => SourceKind::Document,
        };
        let web = WebSource {
            url: self.url.clone(),
            title: self.title.clone(),
            ..WebSource::default()
        };
        Some(Citation {
            kind,
            attachment_id,
            full_phrase: Some(snippet),
            citation_number: Some(self.index.clone()),
            web: (web != WebSource::default()).then(|| Box::new(web)),
            ..Citation::default()
        })
    }
}

/// Returns the list of a message.
pub(crate) fn list_of<'s>(lists: &'s Value, id: &str) -> Option<&'s [Value]> {
    let list = match lists {
        Value::Object(map) => map.get(id)?,
        // In JavaScript an array is an object with numbers as names.
        Value::Array(items) => {
            let at: usize = id.parse().ok()?;
            items.get(at).filter(|_| at.to_string() == id)?
        }
        _ => return None,
    };
    list.as_array()
}

/// Puts the sources of `state.citations` onto the messages under whose ids they are listed. Returns the number
/// of messages that changed.
///
/// The sources of a message are replaced as a whole; roles do not matter. Messages without a list stay as
/// they are, and so do messages with an empty list unless `empty` says otherwise.
pub fn bridge_citations(state: &Value, messages: &mut [Value], empty: EmptyListMeaning) -> usize {
    let Some(lists) = state.get("citations") else {
        return 0;
    };
    let mut changed = 0;
    for message in messages {
        let Some(list) = message
            .get("id")
            .and_then(Value::as_str)
            .and_then(|id| list_of(lists, id))
        else {
            continue;
        };
        let Some(members) = message.as_object_mut() else {
            continue;
        };
        if !list.is_empty() {
            let entries = list.iter().zip(1..);
            let sources = entries.map(|(entry, n)| BridgedCitation::read(entry, n).to_json());
            members.insert("citations".to_owned(), Value::Array(sources.collect()));
            changed += 1;
        } else if empty == EmptyListMeaning::Clears && members.remove("citations").is_some() {
            changed += 1;
        }
    }
    changed
}
