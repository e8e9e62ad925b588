//! Lines of the ontology: groups, people, things, connections, events and knowledge.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use store::{
    ConnectionQuery, EventQuery, KnowledgeQuery, Listing, PageRequest, Principal, ThingQuery,
};

use super::{ExportStop, PAGE, for_each_item, optional_time, time_text};
use crate::api::{ExportLine, RawJson};
use crate::state::AppState;
use crate::stream_body::PieceSender;

/// Writes everything of the ontology that a principal owns.
pub(super) async fn write_ontology(
    app: &AppState,
    principal: &Principal,
    lines: &PieceSender,
) -> Result<(), ExportStop> {
    let store = &app.store;
    for group in store.groups(principal).await? {
        let people = store.people(principal, &group.id).await?;
        lines.line(&group_line(group)).await?;
        for person in people {
            lines.line(&person_line(person)).await?;
        }
    }
    let query = ThingQuery::default();
    for_each_item!(thing in page => store.things(principal, &query, &page), {
        lines.line(&thing_line(thing)).await?;
    });
    let query = ConnectionQuery::default();
    for_each_item!(found in page => store.connections(principal, &query, &page), {
        lines.line(&connection_line(found)).await?;
    });
    let query = EventQuery::default();
    for_each_item!(event in page => store.ontology_events(principal, &query, &page), {
        lines.line(&event_line(event)).await?;
    });
    let query = KnowledgeQuery::default();
    for_each_item!(known in page => store.knowledge(principal, &query, &page), {
        lines.line(&knowledge_line(known)).await?;
    });
    Ok(())
}

fn json(text: &str) -> RawJson {
    RawJson::from_stored(text.as_bytes())
}

fn optional_json(text: Option<String>) -> Option<RawJson> {
    text.map(|text| json(&text))
}

fn group_line(group: store::OntologyGroup) -> ExportLine {
    ExportLine::Group {
        id: group.id,
        slug: group.slug,
        name: group.name,
        r#type: group.kind,
        parent: group.parent,
        description: group.description,
        metadata: json(&group.metadata),
        settings: json(&group.settings),
        status: group.status,
        created_at: time_text(group.created),
        updated_at: time_text(group.updated),
    }
}

fn person_line(person: store::Person) -> ExportLine {
    ExportLine::Person {
        id: person.id,
        group: person.group,
        groups: json(&person.groups),
        name: person.name,
        email: person.email,
        username: person.username,
        role: person.role,
        permissions: json(&person.permissions),
        created_at: time_text(person.created),
        updated_at: time_text(person.updated),
    }
}

pub(in crate::routes) fn thing_line(thing: store::Thing) -> ExportLine {
    ExportLine::Thing {
        id: thing.id,
        r#type: thing.kind,
        group: thing.group,
        name: thing.name,
        within: thing.within,
        properties: json(&thing.properties),
        status: thing.status,
        created_at: time_text(thing.created),
        updated_at: time_text(thing.updated),
    }
}

pub(in crate::routes) fn connection_line(found: store::ThingConnection) -> ExportLine {
    ExportLine::Connection {
        id: found.id,
        r#type: found.kind,
        from: found.from,
        to: found.to,
        group: found.group,
        metadata: optional_json(found.metadata),
        strength: found.strength.map(|strength| json(&strength.to_string())),
        valid_from: optional_time(found.valid_from),
        valid_to: optional_time(found.valid_to),
        created_at: time_text(found.created),
        updated_at: time_text(found.updated),
    }
}

pub(in crate::routes) fn event_line(event: store::OntologyEvent) -> ExportLine {
    ExportLine::Happened {
        id: event.id,
        r#type: event.kind,
        actor: event.actor,
        target: event.target,
        group: event.group,
        metadata: optional_json(event.metadata),
        at: time_text(event.at),
    }
}

pub(in crate::routes) fn knowledge_line(known: store::Knowledge) -> ExportLine {
    ExportLine::Knowledge {
        id: known.id,
        r#type: known.kind,
        group: known.group,
        text: known.text,
        embedding: known.embedding.map(|embedding| STANDARD.encode(embedding)),
        embedding_model: known.embedding_model,
        source: known.source,
        source_field: known.source_field,
        chunk: optional_json(known.chunk),
        labels: json(&known.labels),
        metadata: optional_json(known.metadata),
        created_at: time_text(known.created),
        updated_at: time_text(known.updated),
    }
}
