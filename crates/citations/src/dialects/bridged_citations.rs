//! Lists of sources by message id, as chat frontends read them from the state.

use json::{Map, Number, Value};

use crate::citation::{Citation, SourceKind, WebSource};

/// A source of a message, with its fields under one name each.
#[derive(Debug, Clone, PartialEq)]
pub struct BridgedCitation {
    /// Its id within the message.
    pub id: String,
    /// The number to show.
    pub index: Number,
    /// What it is called.
    pub title: Option<String>,
    /// Where it is.
    pub url: Option<String>,
    /// What it says.
    pub snippet: Option<String>,
    /// What kind of source it is.
    pub source_type: Option<String>,
    /// A picture for it.
    pub icon_url: Option<String>,
    /// When it was published: a text or a number.
    pub published_at: Option<Value>,
    /// Anything else: an object or an array.
    pub extra: Option<Value>,
}

/// What a list without sources means for a message that has some.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum EmptyListMeaning {
    /// They stay, as the reference has it.
    #[default]
    Keeps,
    /// They go.
    Clears,
}

impl BridgedCitation {
    /// Reads an entry of a list, the `n`-th from 1. Anything is an entry.
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

    /// The normalised form; absent fields are left out.
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

    /// A citation that can be checked; nothing if it quotes nothing.
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

/// The list of a message, if it has one that counts.
pub(crate) fn list_of<'s>(lists: &'s Value, id: &str) -> Option<&'s [Value]> {
    let list = match lists {
        Value::Object(map) => map.get(id)?,
        // A list is an object with numbers for names.
        Value::Array(items) => {
            let at: usize = id.parse().ok()?;
            items.get(at).filter(|_| at.to_string() == id)?
        }
        _ => return None,
    };
    list.as_array()
}

/// Puts the sources of `state.citations` onto the messages whose ids they are listed under; how many
/// messages changed.
///
/// The sources a message had are replaced as a whole. Roles do not matter. Messages without a list stay
/// as they are, and so do those with an empty one, unless `empty` says otherwise.
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
