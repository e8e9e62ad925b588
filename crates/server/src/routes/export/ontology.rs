//! Groups, people, things, connections, what happened and what is known.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use json::Value;
use store::{
    ConnectionQuery, EventQuery, KnowledgeQuery, Listing, PageRequest, Principal, ThingQuery,
};

use super::{ExportLines, ExportStop, PAGE, at, json, json_or_null, moment, or_null};
use crate::state::AppState;

/// Everything of the ontology that a principal owns.
pub(super) async fn ontology(
    app: &AppState,
    principal: &Principal,
    lines: &ExportLines,
) -> Result<(), ExportStop> {
    let store = &app.store;
    for group in store.groups(principal).await? {
        let line = Value::from([
            ("kind", "group".into()),
            ("id", group.id.as_str().into()),
            ("slug", group.slug.as_str().into()),
            ("name", group.name.as_str().into()),
            ("type", group.kind.as_str().into()),
            ("parent", or_null(group.parent.as_deref())),
            ("description", or_null(group.description.as_deref())),
            ("metadata", json(group.metadata.as_bytes())),
            ("settings", json(group.settings.as_bytes())),
            ("status", group.status.as_str().into()),
            ("createdAt", moment(group.created).into()),
            ("updatedAt", moment(group.updated).into()),
        ]);
        lines.say(&line).await?;
        for person in store.people(principal, &group.id).await? {
            let line = Value::from([
                ("kind", "person".into()),
                ("id", person.id.as_str().into()),
                ("group", person.group.as_str().into()),
                ("groups", json(person.groups.as_bytes())),
                ("name", person.name.as_str().into()),
                ("email", or_null(person.email.as_deref())),
                ("username", or_null(person.username.as_deref())),
                ("role", person.role.as_str().into()),
                ("permissions", json(person.permissions.as_bytes())),
                ("createdAt", moment(person.created).into()),
                ("updatedAt", moment(person.updated).into()),
            ]);
            lines.say(&line).await?;
        }
    }
    let things = ThingQuery::default();
    pages!(page, slice, store.things(principal, &things, &slice), {
        let line = |thing: &store::Thing| {
            Value::from([
                ("kind", "thing".into()),
                ("id", thing.id.as_str().into()),
                ("type", thing.kind.as_str().into()),
                ("group", thing.group.as_str().into()),
                ("name", thing.name.as_str().into()),
                ("within", or_null(thing.within.as_deref())),
                ("properties", json(thing.properties.as_bytes())),
                ("status", thing.status.as_str().into()),
                ("createdAt", moment(thing.created).into()),
                ("updatedAt", moment(thing.updated).into()),
            ])
        };
        lines.all(page.items.iter().map(line)).await?;
    });
    let connections = ConnectionQuery::default();
    pages!(
        page,
        slice,
        store.connections(principal, &connections, &slice),
        {
            let line = |found: &store::ThingConnection| {
                Value::from([
                    ("kind", "connection".into()),
                    ("id", found.id.as_str().into()),
                    ("type", found.kind.as_str().into()),
                    ("from", found.from.as_str().into()),
                    ("to", found.to.as_str().into()),
                    ("group", found.group.as_str().into()),
                    ("metadata", json_or_null(found.metadata.as_deref())),
                    (
                        "strength",
                        json_or_null(found.strength.map(|it| it.to_string()).as_deref()),
                    ),
                    ("validFrom", at(found.valid_from)),
                    ("validTo", at(found.valid_to)),
                    ("createdAt", moment(found.created).into()),
                    ("updatedAt", moment(found.updated).into()),
                ])
            };
            lines.all(page.items.iter().map(line)).await?;
        }
    );
    let happened = EventQuery::default();
    pages!(
        page,
        slice,
        store.ontology_events(principal, &happened, &slice),
        {
            let line = |event: &store::OntologyEvent| {
                Value::from([
                    ("kind", "happened".into()),
                    ("id", event.id.as_str().into()),
                    ("type", event.kind.as_str().into()),
                    ("actor", event.actor.as_str().into()),
                    ("target", or_null(event.target.as_deref())),
                    ("group", event.group.as_str().into()),
                    ("metadata", json_or_null(event.metadata.as_deref())),
                    ("at", moment(event.at).into()),
                ])
            };
            lines.all(page.items.iter().map(line)).await?;
        }
    );
    let knowledge = KnowledgeQuery::default();
    pages!(
        page,
        slice,
        store.knowledge(principal, &knowledge, &slice),
        {
            let line = |known: &store::Knowledge| {
                Value::from([
                    ("kind", "knowledge".into()),
                    ("id", known.id.as_str().into()),
                    ("type", known.kind.as_str().into()),
                    ("group", known.group.as_str().into()),
                    ("text", or_null(known.text.as_deref())),
                    (
                        "embedding",
                        or_null(
                            known
                                .embedding
                                .as_ref()
                                .map(|it| STANDARD.encode(it))
                                .as_deref(),
                        ),
                    ),
                    ("embeddingModel", or_null(known.embedding_model.as_deref())),
                    ("source", or_null(known.source.as_deref())),
                    ("sourceField", or_null(known.source_field.as_deref())),
                    ("chunk", json_or_null(known.chunk.as_deref())),
                    ("labels", json(known.labels.as_bytes())),
                    ("metadata", json_or_null(known.metadata.as_deref())),
                    ("createdAt", moment(known.created).into()),
                    ("updatedAt", moment(known.updated).into()),
                ])
            };
            lines.all(page.items.iter().map(line)).await?;
        }
    );
    Ok(())
}
