//! Activities of a conversation that a client leaves out of its input.
//!
//! AG-UI clients show activities but never send them back. Without restoring them, generated UI would vanish from the
//! conversation with the next question.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use agui::model::{Message, RunAgentInput};
use store::{Store, StoreError, StoredActivity};

use super::Key;

/// Inserts the activities of the stored conversation that the messages lack, each behind the message that it followed.
/// Activities that followed a message which the client has dropped stay hidden with it.
pub(super) async fn restore_activities(
    store: &Arc<dyn Store>,
    key: &Key,
    messages: Vec<Message>,
) -> Result<Vec<Message>, StoreError> {
    let stored = store.activities(&key.0, &key.1).await?;
    match stored.is_empty() {
        true => Ok(messages),
        false => Ok(insert_activities(messages, &stored)),
    }
}

/// Returns the messages that a run begins with: those of the input, and in a known thread the activities that its
/// client left out. If the activities cannot be read, only those of the input.
pub(super) async fn shown_messages(
    store: &Arc<dyn Store>,
    key: &Key,
    input: &RunAgentInput,
    is_known_thread: bool,
) -> Vec<Message> {
    if !is_known_thread {
        return input.messages.clone();
    }
    let restored = restore_activities(store, key, input.messages.clone()).await;
    restored.unwrap_or_else(|error| {
        tracing::warn!(thread = %key.1, %error, "the activities of a conversation could not be read");
        input.messages.clone()
    })
}

fn insert_activities(messages: Vec<Message>, stored: &[StoredActivity]) -> Vec<Message> {
    let known: HashSet<String> = messages.iter().map(|message| message.id.clone()).collect();
    let mut by_anchor: HashMap<Option<String>, Vec<Message>> = HashMap::new();
    for activity in stored {
        if known.contains(&activity.message.id) {
            continue;
        }
        let json = format!("[{}]", String::from_utf8_lossy(&activity.message.json));
        let read = Message::list_from_json(&json).unwrap_or_default();
        let anchored = by_anchor.entry(activity.after.clone()).or_default();
        anchored.extend(read);
    }
    let mut restored = by_anchor.remove(&None).unwrap_or_default();
    for message in messages {
        let following = by_anchor.remove(&Some(message.id.clone()));
        restored.push(message);
        restored.extend(following.unwrap_or_default());
    }
    restored
}

#[cfg(test)]
mod tests {
    use store::StoredMessage;

    use super::*;

    fn activity(after: Option<&str>, id: &str) -> StoredActivity {
        let json = format!(
            r#"{{"id":"{id}","role":"activity","activityType":"pincite.ui","content":{{}}}}"#
        );
        StoredActivity {
            after: after.map(str::to_owned),
            message: StoredMessage {
                id: id.to_owned(),
                role: "activity".to_owned(),
                json: json.into(),
            },
        }
    }

    fn ids(messages: &[Message]) -> Vec<&str> {
        messages.iter().map(|message| message.id.as_str()).collect()
    }

    #[test]
    fn activities_return_to_their_places_unless_their_message_is_gone() {
        let sent = r#"[{"id":"q","role":"user","content":"?"},{"id":"a","role":"assistant","content":"!"},
            {"id":"d","role":"activity","activityType":"x","content":{}}]"#;
        let sent = Message::list_from_json(sent).expect("messages");
        let stored = [
            activity(None, "first"),
            activity(Some("q"), "b"),
            activity(Some("q"), "c"),
            activity(Some("a"), "d"),
            activity(Some("dropped"), "e"),
        ];
        let restored = insert_activities(sent, &stored);
        assert_eq!(ids(&restored), ["first", "q", "b", "c", "a", "d"]);
    }
}
