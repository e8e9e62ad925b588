//! Documents that are connected in the ontology.

use std::collections::HashMap;

use documents::ContentId;
use search::ChunkHit;
use store::{ConnectionQuery, PageRequest, Principal, StoreError, ThingConnection, Timestamp};

use super::DocumentLibrary;

/// Number of documents whose connections are followed.
const MAX_SEEDS: usize = 10;
/// Number of connections of a document that are followed, in each direction.
const MAX_CONNECTIONS: usize = 100;
/// Prefix of the ids of documents in the ontology.
const DOCUMENT: &str = "document:";

impl DocumentLibrary {
    /// Returns the documents that are one connection away from those of hits, in either direction, with the strengths
    /// of the connections.
    pub(super) async fn connected(
        &self,
        principal: &Principal,
        hits: &[ChunkHit],
        now: Timestamp,
    ) -> Result<Vec<(ContentId, f32)>, StoreError> {
        let mut seeds: Vec<(ContentId, f32)> = Vec::new();
        for hit in hits {
            let document = hit.chunk.document();
            if seeds.len() < MAX_SEEDS && !seeds.iter().any(|(seed, _)| *seed == document) {
                seeds.push((document, hit.score));
            }
        }
        let best = seeds.first().map_or(1.0, |(_, score)| *score);
        let mut strengths: HashMap<ContentId, f32> = HashMap::new();
        for (seed, score) in &seeds {
            let id = store::document_id(*seed);
            let both = [
                ConnectionQuery {
                    from: Some(id.clone()),
                    ..ConnectionQuery::default()
                },
                ConnectionQuery {
                    to: Some(id.clone()),
                    ..ConnectionQuery::default()
                },
            ];
            for query in both {
                let query = ConnectionQuery {
                    valid_at: Some(now),
                    ..query
                };
                let page = PageRequest::first(MAX_CONNECTIONS);
                let found = self.store.connections(principal, &query, &page).await?;
                for connection in found.items {
                    let strength = strength(&connection) * score / best.max(f32::EPSILON);
                    let other = match connection.from == id {
                        true => connection.to,
                        false => connection.from,
                    };
                    if let Some(document) = document_of(&other) {
                        *strengths.entry(document).or_default() += strength;
                    }
                }
            }
        }
        let mut connected: Vec<(ContentId, f32)> = strengths.into_iter().collect();
        connected.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Ok(connected)
    }
}

/// Returns the strength of a connection; 1 if it has none.
fn strength(connection: &ThingConnection) -> f32 {
    let strength = connection.strength.unwrap_or(1.0);
    if strength.is_finite() {
        strength.clamp(0.0, 1.0) as f32
    } else {
        0.0
    }
}

fn document_of(thing: &str) -> Option<ContentId> {
    thing.strip_prefix(DOCUMENT)?.parse().ok()
}
