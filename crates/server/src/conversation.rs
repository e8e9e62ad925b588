//! Documents of a conversation: those inside its messages, and those it names.

use std::sync::Arc;

use agui::json::{Json, Value};
use agui::model::{Content, MediaKind, Part, PartBody, RunAgentInput, Source};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use documents::ContentId;
use store::{AttachmentId, NewAttachment, Principal};

use crate::app::App;
use crate::library::Held;

/// How many documents of a conversation are looked at.
const MAX_DOCUMENTS: usize = 100;

/// The documents of a conversation, by attachment id. What cannot be read is left out: the run goes on,
/// and a citation of it finds its source missing.
pub(crate) async fn documents(
    app: &Arc<App>,
    principal: &Principal,
    input: &RunAgentInput,
) -> Vec<(String, Held)> {
    let mut found = Vec::new();
    for id in named(input).into_iter().take(MAX_DOCUMENTS) {
        let Ok(attachment) = AttachmentId::new(&id) else {
            continue;
        };
        match app
            .library
            .attachment(principal, &attachment, app.now())
            .await
        {
            Ok((_, held)) => found.push((id, held)),
            Err(error) => tracing::warn!(attachment = %id, %error, "a document is not used"),
        }
    }
    for part in parts(input).take(MAX_DOCUMENTS) {
        let Some((name, media_type, file)) = data(part) else {
            continue;
        };
        let content = ContentId::of(&file).to_string();
        // The same bytes get the same name, turn after turn.
        let Ok(id) = AttachmentId::new(&content[..20]) else {
            continue;
        };
        let attachment = NewAttachment {
            id: id.clone(),
            name,
            media_type,
            original: file.into(),
            end_user: None,
            created: app.now(),
            expires: None,
        };
        match app.library.attach(principal, attachment).await {
            Ok((_, held)) => found.push((id.to_string(), held)),
            Err(error) => tracing::warn!(%error, "a document of the conversation is not used"),
        }
    }
    found
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

/// The name, media type and bytes of a part that holds a document.
fn data(part: &Part) -> Option<(String, String, Vec<u8>)> {
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
        .unwrap_or("document");
    Some((name.to_owned(), mime_type.clone(), bytes))
}
