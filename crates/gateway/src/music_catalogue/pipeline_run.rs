//! The pipeline over the stored records: import, then resolution and scoring.

use std::collections::{HashMap, HashSet};

use attribution::{
    AttributionRecord, CalibrationLabel, DoubtfulMerge, EarlierEntities, MergeDecision,
    NormalizedRecord, ResolvedEntity, build_attribution, derived_id, resolve,
};
use bytes::Bytes;
use serde::Serialize;
use store::{CatalogueWrite, Principal};

use super::{
    ATTRIBUTION, CatalogueResult, DOUBTFUL_MERGE, ENTITY, LABEL, MERGE_DECISION, MusicCatalogue,
    SOURCE_RECORD, write,
};

/// Number of records that are stored in one transaction.
const BATCH: usize = 500;

/// Result of storing records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ImportSummary {
    /// Records that were read.
    pub records: usize,
    /// Records that are new or changed.
    pub changed: usize,
}

/// Result of resolving and scoring the catalogue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ResolveSummary {
    /// Records of recordings and artists.
    pub records: usize,
    /// Recordings.
    pub works: usize,
    /// People and groups.
    pub people: usize,
    /// Attributions that are new or changed.
    pub changed: usize,
    /// Merges that are left to a person.
    pub doubtful: usize,
}

impl MusicCatalogue {
    /// Stores records of a source. A record that did not change is not written, so an import can be repeated.
    pub async fn store_records(
        &self,
        principal: &Principal,
        mut records: Vec<NormalizedRecord>,
    ) -> CatalogueResult<ImportSummary> {
        let mut summary = ImportSummary {
            records: records.len(),
            changed: 0,
        };
        let now = self.now_text();
        // The time of the first import stays, so that the same content is recognised.
        let ids: Vec<String> = records
            .iter()
            .map(|record| record.record_id.clone())
            .collect();
        let stored = self
            .store
            .catalogue_records(principal, SOURCE_RECORD, ids)
            .await?;
        let mut times: HashMap<String, String> = HashMap::new();
        for record in &stored {
            let record: NormalizedRecord = super::read_record(record)?;
            times.insert(record.record_id, record.fetch_timestamp);
        }
        for record in &mut records {
            record.fetch_timestamp = times
                .get(&record.record_id)
                .cloned()
                .unwrap_or_else(|| now.clone());
        }
        for batch in records.chunks(BATCH) {
            let writes = batch
                .iter()
                .map(|record| write(SOURCE_RECORD, &record.record_id, 1, None, record));
            summary.changed += self.put(principal, writes.collect()).await?;
        }
        Ok(summary)
    }

    /// Stores labels for the calibration.
    pub async fn store_labels(
        &self,
        principal: &Principal,
        labels: &[CalibrationLabel],
    ) -> CatalogueResult<usize> {
        let writes = labels.iter().map(|label| {
            let text = serde_json::to_string(label).unwrap_or_default();
            write(LABEL, &derived_id(&text), 1, None, label)
        });
        self.put(principal, writes.collect()).await
    }

    /// Resolves all records and scores the works. Only what changed is written.
    pub async fn resolve_all(&self, principal: &Principal) -> CatalogueResult<ResolveSummary> {
        let mut records: Vec<NormalizedRecord> = self.all(principal, SOURCE_RECORD).await?;
        // The result does not depend on the order of imports.
        records.sort_by(|a, b| a.record_id.cmp(&b.record_id));
        let decisions: Vec<MergeDecision> = self.all(principal, MERGE_DECISION).await?;
        let entities: Vec<ResolvedEntity> = self.all(principal, ENTITY).await?;
        let previous: Vec<AttributionRecord> = self.all(principal, ATTRIBUTION).await?;
        let calibration = self.calibration(principal).await?;
        let now = self.now_text();
        let earlier = earlier_entities(&entities, &previous);
        let blocking = move || {
            let resolution = resolve(&records, &earlier, &decisions, &now);
            let names: HashMap<String, String> = resolution
                .people
                .iter()
                .map(|person| (person.entity_id.clone(), person.canonical_name.clone()))
                .collect();
            let known: HashMap<&str, &AttributionRecord> = previous
                .iter()
                .map(|record| (record.work_entity_id.as_str(), record))
                .collect();
            let mut writes = Vec::new();
            let mut present: HashSet<String> = HashSet::new();
            for work in &resolution.works {
                present.insert(work.entity.entity_id.clone());
                let before = known.get(work.entity.entity_id.as_str()).copied();
                if let Some(record) =
                    build_attribution(work, &records, &names, before, &calibration, &now)
                {
                    writes.push(write(
                        ATTRIBUTION,
                        &record.attribution_id,
                        record.version,
                        Some(before.map_or(0, |record| record.version)),
                        &record,
                    ));
                }
            }
            let changed = writes.len();
            // A work that became part of another one is removed; its history is in `merged_from`.
            for record in previous
                .iter()
                .filter(|record| !present.contains(&record.work_entity_id))
            {
                writes.push(deletion(ATTRIBUTION, &record.attribution_id));
            }
            writes.extend(entity_writes(
                &resolution.people,
                resolution.works.iter().map(|work| &work.entity),
                &entities,
            ));
            writes.extend(resolution.doubtful.iter().map(doubtful_write));
            let summary = ResolveSummary {
                records: records.len(),
                works: resolution.works.len(),
                people: resolution.people.len(),
                changed,
                doubtful: resolution.doubtful.len(),
            };
            (writes, summary)
        };
        // Resolution takes seconds for a large catalogue; the runtime's threads stay free for requests.
        let (writes, summary) = tokio::task::spawn_blocking(blocking)
            .await
            .map_err(|error| {
                super::CatalogueError::Invalid(format!("The resolution failed: {error}"))
            })?;
        for batch in writes.chunks(BATCH) {
            self.put(principal, batch.to_vec()).await?;
        }
        Ok(summary)
    }

    /// Returns the merges that are left to a person.
    pub async fn doubtful_merges(
        &self,
        principal: &Principal,
    ) -> CatalogueResult<Vec<DoubtfulMerge>> {
        self.all(principal, DOUBTFUL_MERGE).await
    }

    /// Stores a decision about a merge: `same` false takes a merge back at the next resolution.
    pub async fn decide_merge(
        &self,
        principal: &Principal,
        one: &str,
        other: &str,
        same: bool,
    ) -> CatalogueResult<()> {
        let decision = MergeDecision {
            one: one.to_owned(),
            other: other.to_owned(),
            same,
            decided_by: principal.as_str().to_owned(),
            decided_at: self.now_text(),
        };
        let id = merge_id(one, other);
        let writes = vec![
            write(MERGE_DECISION, &id, 1, None, &decision),
            deletion(DOUBTFUL_MERGE, &id),
        ];
        self.put(principal, writes).await.map(drop)
    }
}

fn merge_id(one: &str, other: &str) -> String {
    let (first, second) = if one < other {
        (one, other)
    } else {
        (other, one)
    };
    derived_id(&format!("merge\n{first}\n{second}"))
}

fn doubtful_write(merge: &DoubtfulMerge) -> CatalogueWrite {
    write(
        DOUBTFUL_MERGE,
        &merge_id(&merge.one, &merge.other),
        1,
        None,
        merge,
    )
}

fn deletion(kind: &str, id: &str) -> CatalogueWrite {
    CatalogueWrite {
        kind: kind.to_owned(),
        id: id.to_owned(),
        version: 0,
        expected: None,
        json: Bytes::new(),
    }
}

/// Returns the ids that records and people had.
fn earlier_entities(
    entities: &[ResolvedEntity],
    previous: &[AttributionRecord],
) -> EarlierEntities {
    let mut earlier = EarlierEntities::default();
    for record in previous {
        for reference in &record.source_records {
            earlier
                .ids
                .insert(reference.record_id.clone(), record.work_entity_id.clone());
        }
    }
    for entity in entities
        .iter()
        .filter(|entity| entity.entity_type == attribution::EntityType::Artist)
    {
        for reference in &entity.source_records {
            earlier
                .ids
                .insert(reference.source_id.clone(), entity.entity_id.clone());
        }
    }
    earlier
}

/// Returns the changes of entities. The time of resolution alone is no change.
fn entity_writes<'e>(
    people: &'e [ResolvedEntity],
    works: impl Iterator<Item = &'e ResolvedEntity>,
    stored: &[ResolvedEntity],
) -> Vec<CatalogueWrite> {
    let known: HashMap<&str, &ResolvedEntity> = stored
        .iter()
        .map(|entity| (entity.entity_id.as_str(), entity))
        .collect();
    let mut present = HashSet::new();
    let mut writes = Vec::new();
    for entity in people.iter().chain(works) {
        present.insert(entity.entity_id.as_str());
        let before = known.get(entity.entity_id.as_str());
        let is_same = before.is_some_and(|before| {
            let mut at_that_time = entity.clone();
            at_that_time.resolved_at.clone_from(&before.resolved_at);
            at_that_time == **before
        });
        if !is_same {
            writes.push(write(ENTITY, &entity.entity_id, 1, None, entity));
        }
    }
    let gone = stored
        .iter()
        .filter(|entity| !present.contains(entity.entity_id.as_str()));
    writes.extend(gone.map(|entity| deletion(ENTITY, &entity.entity_id)));
    writes
}
