//! Records of the ontology about messages, actions and context.

use canvas::CanvasMessage;
use json::Value;
use store::{
    Knowledge, OntologyEvent, OntologyRecord, StoreError, ThingKnowledge, Timestamp, message_id,
};

use crate::gateway::Gateway;
use crate::runs::Key;

/// Labels a message by its kind and its component.
pub(super) async fn label_message(
    gateway: &Gateway,
    key: &Key,
    id: &str,
    message: &CanvasMessage,
    now: Timestamp,
) -> Result<(), StoreError> {
    let labels = [Some(message.kind.as_str()), message.component()];
    let mut records = Vec::new();
    for label in labels.into_iter().flatten() {
        let knowledge = format!("label:{label}");
        records.push(OntologyRecord::Knowledge(Knowledge {
            id: knowledge.clone(),
            group: key.0.to_string(),
            kind: "label".to_owned(),
            text: Some(label.to_owned()),
            embedding: None,
            embedding_model: None,
            source: None,
            source_field: None,
            chunk: None,
            labels: Value::Array(vec!["protocol:ag-ui".into()]).to_json(),
            metadata: None,
            created: now,
            updated: now,
            deleted: None,
        }));
        records.push(OntologyRecord::ThingKnowledge(ThingKnowledge {
            thing: message_id(key.1.as_str(), id),
            knowledge,
            role: "label".to_owned(),
            metadata: None,
        }));
    }
    gateway.store.put(&key.0, records).await
}

/// Stores an event of the person about a message or the conversation.
pub(super) async fn log_event(
    gateway: &Gateway,
    key: &Key,
    kind: &str,
    target: String,
    metadata: &Value,
) -> Result<(), StoreError> {
    let event = event_record(
        key,
        kind,
        &gateway.new_id(),
        target,
        metadata,
        gateway.now(),
    );
    gateway.store.put(&key.0, vec![event]).await
}

/// Returns an event of the person about a message or the conversation.
pub(super) fn event_record(
    key: &Key,
    kind: &str,
    id: &str,
    target: String,
    metadata: &Value,
    at: Timestamp,
) -> OntologyRecord {
    OntologyRecord::Event(OntologyEvent {
        id: format!("{kind}:{id}"),
        group: key.0.to_string(),
        kind: kind.to_owned(),
        actor: key.0.to_string(),
        target: Some(target),
        at,
        metadata: Some(metadata.to_json()),
        archived: false,
    })
}
