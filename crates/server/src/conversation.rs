//! Documents of a conversation: those inside its messages, and those it names.

use std::sync::Arc;

use agui::json::{Json, Value};
use agui::model::{Content, MediaKind, Part, PartBody, RunAgentInput, Source};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use documents::ContentId;
use store::{AttachmentId, NewAttachment, Principal, Timestamp};

use crate::app::App;
use crate::library::{Held, Named};

/// How many documents of a conversation are looked at.
const MAX_DOCUMENTS: usize = 100;
/// What a file is called that came without a name.
const UNNAMED: &str = "document";
/// In milliseconds.
const DAY: i64 = 24 * 60 * 60 * 1000;

/// A document that a run is given.
pub(crate) struct Given {
    /// Its attachment id.
    pub(crate) id: String,
    /// What people call it.
    pub(crate) label: Option<String>,
    pub(crate) held: Held,
}

impl Given {
    fn named(id: String, named: &Named, held: Held) -> Self {
        Self {
            label: label(named),
            id,
            held,
        }
    }
}

/// What people call a document: the file by its name, what was fetched by its title if it has one.
pub(crate) fn label(named: &Named) -> Option<String> {
    let title = named.document().title.as_ref();
    let Named::Attachment(attachment) = named else {
        return title.cloned();
    };
    let name = Some(&attachment.name).filter(|name| !name.is_empty() && *name != UNNAMED);
    let label = match attachment.origin {
        Some(_) => title.or(name),
        None => name.or(title),
    };
    label.cloned()
}

/// The documents of a conversation. What cannot be read is left out: the run goes on, and a citation of it
/// finds its source missing.
pub(crate) async fn documents(
    app: &Arc<App>,
    principal: &Principal,
    input: &RunAgentInput,
) -> Vec<Given> {
    let mut found = Vec::new();
    for id in named(input).into_iter().take(MAX_DOCUMENTS) {
        match app.library.named(principal, &id, app.now()).await {
            Ok((named, held)) => found.push(Given::named(id, &named, held)),
            Err(error) => tracing::warn!(attachment = %id, %error, "a document is not used"),
        }
    }
    for part in parts(input).take(MAX_DOCUMENTS) {
        let id = match (data(part), address(part)) {
            (Some(file), _) => attach(app, principal, &ContentId::of(&file.bytes), file).await,
            (None, Some(url)) => fetched(app, principal, url).await,
            (None, None) => None,
        };
        found.extend(id);
    }
    found
}

/// A file of a conversation.
struct File {
    name: String,
    media_type: String,
    bytes: Vec<u8>,
    origin: Option<String>,
    expires: Option<Timestamp>,
}

/// Stores a file under a name that is made of what it is called by: the same turn after turn.
async fn attach(
    app: &Arc<App>,
    principal: &Principal,
    called: &ContentId,
    file: File,
) -> Option<Given> {
    let id = short(called)?;
    let attachment = NewAttachment {
        id,
        name: file.name,
        media_type: file.media_type,
        original: file.bytes.into(),
        end_user: None,
        origin: file.origin,
        created: app.now(),
        expires: file.expires,
    };
    match app.library.attach(principal, attachment).await {
        Ok((attached, held)) => {
            let id = attached.attachment.id.to_string();
            Some(Given::named(
                id,
                &Named::Attachment(attached.attachment),
                held,
            ))
        }
        Err(error) => {
            tracing::warn!(%error, "a document of the conversation is not used");
            None
        }
    }
}

fn short(called: &ContentId) -> Option<AttachmentId> {
    AttachmentId::new(&called.to_string()[..20]).ok()
}

/// The document at an address, got once a day. Where nothing may be fetched, the part passes unread.
async fn fetched(app: &Arc<App>, principal: &Principal, url: &str) -> Option<Given> {
    if app.fetcher.policy().is_off() {
        return None;
    }
    let called = ContentId::of(url.as_bytes());
    let id = short(&called)?;
    if let Ok((named, held)) = app.library.named(principal, id.as_str(), app.now()).await {
        return Some(Given::named(id.to_string(), &named, held));
    }
    match app.fetcher.fetch(url).await {
        Ok(got) => {
            let file = File {
                name: got.name,
                media_type: got.content_type.unwrap_or_default(),
                bytes: got.bytes,
                origin: Some(url.to_owned()),
                expires: Some(Timestamp(app.now().0.saturating_add(DAY))),
            };
            attach(app, principal, &called, file).await
        }
        Err(error) => {
            tracing::warn!(%error, "a document of the conversation was not fetched");
            None
        }
    }
}

/// Where a part that names a document has it.
fn address(part: &Part) -> Option<&str> {
    match &part.body {
        PartBody::Media(MediaKind::Document | MediaKind::Image, Source::Url { value, .. }) => {
            Some(value)
        }
        _ => None,
    }
}

/// Attachments that the state or the forwarded properties name.
fn named(input: &RunAgentInput) -> Vec<String> {
    let mut named = Vec::new();
    let mut add = |value: Option<&Value>| {
        let id = value.and_then(Value::as_str).map(str::to_owned);
        named.extend(id.filter(|id| !id.is_empty()));
    };
    let tree = |json: &Option<Json>| json.as_ref().map(|json| json.value().into_owned());
    if let Some(state) = tree(&input.state) {
        for part in state["fileDataParts"].as_array().unwrap_or_default() {
            add(part.as_object().and_then(|part| part.get("attachmentId")));
        }
    }
    if let Some(props) = tree(&input.forwarded_props) {
        for id in props["attachmentIds"].as_array().unwrap_or_default() {
            add(Some(id));
        }
    }
    named
}

fn parts(input: &RunAgentInput) -> impl Iterator<Item = &Part> {
    input
        .messages
        .iter()
        .flat_map(|message| match &message.content {
            Content::Parts(parts) => parts.as_slice(),
            _ => &[],
        })
}

/// The file in a part that holds a document.
fn data(part: &Part) -> Option<File> {
    let PartBody::Media(MediaKind::Document | MediaKind::Image, source) = &part.body else {
        return None;
    };
    let Source::Data { value, mime_type } = source else {
        return None;
    };
    let bytes = STANDARD
        .decode(value)
        .or_else(|_| STANDARD_NO_PAD.decode(value))
        .ok()?;
    let metadata = part.metadata.as_ref().map(|metadata| metadata.value());
    let name = metadata
        .as_ref()
        .and_then(|metadata| {
            metadata["filename"]
                .as_str()
                .or_else(|| metadata["name"].as_str())
        })
        .or(part.id.as_deref())
        .unwrap_or(UNNAMED);
    Some(File {
        name: name.to_owned(),
        media_type: mime_type.clone(),
        bytes,
        origin: None,
        expires: None,
    })
}
