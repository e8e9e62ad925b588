//! The schema of the ontology follows its specification: each field has a column, and each index of the
//! specification one that begins with the principal and its columns.

use rusqlite::Connection;
use store::{OpenOptions, SqliteStore};

/// Table of the specification: fields with their columns, indexes with their columns.
struct Table {
    name: &'static str,
    fields: &'static [(&'static str, &'static str)],
    indexes: &'static [(&'static str, &'static [&'static str])],
}

const TABLES: &[Table] = &[
    Table {
        name: "groups",
        fields: &[
            ("slug", "slug"),
            ("name", "name"),
            ("type", "kind"),
            ("parentGroupId", "parent"),
            ("description", "description"),
            ("metadata", "metadata"),
            ("settings", "settings"),
            ("status", "status"),
            ("createdAt", "created"),
            ("updatedAt", "updated"),
        ],
        indexes: &[
            ("by_slug", &["slug"]),
            ("by_type", &["kind"]),
            ("by_parent", &["parent"]),
            ("by_status", &["status"]),
            ("by_created", &["created"]),
        ],
    },
    Table {
        name: "people",
        fields: &[
            ("email", "email"),
            ("username", "username"),
            ("displayName", "name"),
            ("role", "role"),
            ("groupId", "grp"),
            ("permissions", "permissions"),
            ("groups", "groups"),
        ],
        indexes: &[("by_group", &["grp"]), ("group_role", &["grp", "role"])],
    },
    Table {
        name: "things",
        fields: &[
            ("groupId", "grp"),
            ("type", "kind"),
            ("name", "name"),
            ("properties", "properties"),
            ("status", "status"),
            ("schemaVersion", "schema_version"),
            ("createdAt", "created"),
            ("updatedAt", "updated"),
            ("deletedAt", "deleted"),
        ],
        indexes: &[
            ("by_group", &["grp"]),
            ("by_type", &["kind"]),
            ("by_status", &["status"]),
            ("by_created", &["created"]),
            ("by_updated", &["updated"]),
            ("group_type", &["grp", "kind"]),
            ("group_status", &["grp", "status"]),
            ("group_created", &["grp", "created"]),
            ("group_updated", &["grp", "updated"]),
        ],
    },
    Table {
        name: "connections",
        fields: &[
            ("groupId", "grp"),
            ("fromEntityId", "source"),
            ("toEntityId", "target"),
            ("relationshipType", "kind"),
            ("metadata", "metadata"),
            ("strength", "strength"),
            ("validFrom", "valid_from"),
            ("validTo", "valid_to"),
            ("createdAt", "created"),
            ("updatedAt", "updated"),
            ("deletedAt", "deleted"),
        ],
        indexes: &[
            ("by_group", &["grp"]),
            ("from_entity", &["source"]),
            ("to_entity", &["target"]),
            ("from_type", &["source", "kind"]),
            ("to_type", &["target", "kind"]),
            ("bidirectional", &["source", "target", "kind"]),
            ("by_created", &["created"]),
            ("group_type", &["grp", "kind"]),
            ("group_from", &["grp", "source"]),
            ("group_to", &["grp", "target"]),
            ("group_valid", &["grp", "valid_from", "valid_to"]),
        ],
    },
    Table {
        name: "events",
        fields: &[
            ("groupId", "grp"),
            ("type", "kind"),
            ("actorId", "actor"),
            ("targetId", "target"),
            ("timestamp", "at"),
            ("metadata", "metadata"),
            ("archived", "archived"),
        ],
        indexes: &[
            ("by_group", &["grp"]),
            ("by_type", &["kind"]),
            ("by_actor", &["actor"]),
            ("by_target", &["target"]),
            ("by_timestamp", &["at"]),
            ("actor_type", &["actor", "kind"]),
            ("target_type", &["target", "kind"]),
            ("group_type", &["grp", "kind"]),
            ("group_timestamp", &["grp", "at"]),
            ("group_type_time", &["grp", "kind", "at"]),
            ("actor_time", &["actor", "at"]),
        ],
    },
    Table {
        name: "knowledge",
        fields: &[
            ("groupId", "grp"),
            ("knowledgeType", "kind"),
            ("text", "text"),
            ("embedding", "embedding"),
            ("embeddingModel", "embedding_model"),
            ("embeddingDim", "embedding_dim"),
            ("sourceThingId", "source"),
            ("sourceField", "source_field"),
            ("chunk", "chunk"),
            ("labels", "labels"),
            ("metadata", "metadata"),
            ("createdAt", "created"),
            ("updatedAt", "updated"),
            ("deletedAt", "deleted"),
        ],
        indexes: &[
            ("by_group", &["grp"]),
            ("by_type", &["kind"]),
            ("by_source", &["source"]),
            ("by_created", &["created"]),
            ("by_updated", &["updated"]),
            ("group_type", &["grp", "kind"]),
            ("group_source", &["grp", "source"]),
        ],
    },
    Table {
        name: "thing_knowledge",
        fields: &[
            ("thingId", "thing"),
            ("knowledgeId", "knowledge"),
            ("role", "role"),
            ("metadata", "metadata"),
        ],
        indexes: &[
            ("by_thing", &["thing"]),
            ("by_knowledge", &["knowledge"]),
            ("unique_junction", &["thing", "knowledge", "role"]),
        ],
    },
];

fn texts(connection: &Connection, sql: &str) -> Vec<String> {
    let mut statement = connection.prepare(sql).expect("SQL");
    let rows = statement.query_map([], |row| row.get(0)).expect("rows");
    rows.map(|text| text.expect("a text")).collect()
}

#[test]
fn every_field_and_every_index_exists() {
    let directory = tempfile::tempdir().expect("a directory");
    drop(SqliteStore::open(&OpenOptions::new(directory.path())).expect("a store"));
    let connection = Connection::open(directory.path().join("pincite.db")).expect("open");
    let mut missing = Vec::new();
    for Table {
        name,
        fields,
        indexes,
    } in TABLES
    {
        let columns = texts(
            &connection,
            &format!("SELECT name FROM pragma_table_xinfo('{name}')"),
        );
        for (field, column) in *fields {
            if !columns.iter().any(|known| known == column) {
                missing.push(format!("{name}.{field} ({column})"));
            }
        }
        let known: Vec<Vec<String>> = texts(
            &connection,
            &format!("SELECT name FROM pragma_index_list('{name}')"),
        )
        .iter()
        .map(|index| {
            let sql = format!("SELECT name FROM pragma_index_info('{index}') ORDER BY seqno");
            texts(&connection, &sql)
        })
        .collect();
        for (index, wanted) in *indexes {
            let serves = |columns: &Vec<String>| {
                let mut columns = columns.iter();
                columns.next().is_some_and(|first| first == "principal")
                    && wanted
                        .iter()
                        .all(|column| columns.next().is_some_and(|known| known == column))
            };
            if !known.iter().any(serves) {
                missing.push(format!("{name} {index} {wanted:?}"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}
