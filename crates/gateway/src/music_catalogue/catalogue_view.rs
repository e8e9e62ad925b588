//! View of a principal's catalogue in memory: what lists, filters and search need. It follows the store.

use std::collections::HashMap;
use std::sync::Arc;

use attribution::{
    AssuranceLevel, AttributionRecord, WorkDocument, WorkHit, WorkIndex, priority_factors,
};
use store::Principal;
use tokio::sync::Mutex;

use super::{ATTRIBUTION, CatalogueResult, MusicCatalogue, PAGE, read_record};

/// Order of a list of works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WorkSort {
    /// By confidence.
    #[default]
    Confidence,
    /// By title.
    Title,
    /// By time of the last change.
    Updated,
    /// By priority of a review.
    Priority,
}

/// Request for a part of the works. Filters apply before paging.
#[derive(Debug, Clone, Default)]
pub struct WorkListQuery {
    /// Works that need a review, or that do not.
    pub needs_review: Option<bool>,
    /// Works of this level.
    pub assurance_level: Option<AssuranceLevel>,
    /// Order.
    pub sort: WorkSort,
    /// True for the smallest first.
    pub is_ascending: bool,
    /// Number of works to skip.
    pub offset: usize,
    /// Largest number of works.
    pub limit: usize,
}

/// Part of the works.
#[derive(Debug, Clone)]
pub struct WorkList {
    /// Works.
    pub records: Vec<AttributionRecord>,
    /// Number of works that the filters leave.
    pub total: usize,
}

/// Work that a search found.
#[derive(Debug, Clone)]
pub struct FoundWork {
    /// Work.
    pub attribution: AttributionRecord,
    /// Hit with its ranks.
    pub hit: WorkHit,
}

/// Values of a work that lists need.
#[derive(Debug)]
struct WorkEntry {
    work_entity_id: String,
    title: String,
    confidence: f64,
    assurance_level: AssuranceLevel,
    needs_review: bool,
    updated: i64,
    /// Priority without the factor of age.
    base_priority: f64,
}

impl WorkEntry {
    fn priority(&self, now: i64) -> f64 {
        let days = (now - self.updated).max(0) as f64 / 86_400.0;
        self.base_priority + 0.15 * (days / 30.0).min(1.0)
    }
}

/// View of a principal's catalogue.
#[derive(Debug, Default)]
pub(super) struct CatalogueView {
    revision: u64,
    entries: HashMap<String, WorkEntry>,
    by_work: HashMap<String, String>,
    index: WorkIndex,
}

impl CatalogueView {
    pub(super) fn attribution_of_work(&self, work: &str) -> Option<String> {
        self.by_work.get(work).cloned()
    }

    /// Returns the number of works that need a review.
    pub(super) fn review_count(&self) -> usize {
        self.entries
            .values()
            .filter(|entry| entry.needs_review)
            .count()
    }

    fn put(&mut self, record: &AttributionRecord) {
        let updated = record
            .updated_at
            .parse::<jiff::Timestamp>()
            .unwrap_or_default();
        let entry = WorkEntry {
            work_entity_id: record.work_entity_id.clone(),
            title: attribution::fold_text(&record.work_title),
            confidence: record.confidence_score,
            assurance_level: record.assurance_level,
            needs_review: record.needs_review,
            updated: updated.as_second(),
            base_priority: priority_factors(record, updated).priority,
        };
        let names = record
            .credits
            .iter()
            .flat_map(|credit| std::iter::once(&credit.entity_name).chain(&credit.credited_as));
        let mut names: Vec<String> = names.cloned().collect();
        names.sort();
        names.dedup();
        self.index.put(WorkDocument {
            id: record.attribution_id.clone(),
            title: record.work_title.clone(),
            artist: record.artist_name.clone(),
            names,
            people: record
                .credits
                .iter()
                .map(|credit| credit.entity_id.clone())
                .collect(),
        });
        self.by_work
            .insert(record.work_entity_id.clone(), record.attribution_id.clone());
        self.entries.insert(record.attribution_id.clone(), entry);
    }

    fn remove(&mut self, id: &str) {
        self.index.remove(id);
        if let Some(entry) = self.entries.remove(id) {
            self.by_work.remove(&entry.work_entity_id);
        }
    }

    /// Returns the ids of a part of the works, and the number that the filters leave.
    fn select(&self, query: &WorkListQuery, now: i64) -> (Vec<String>, usize) {
        let mut found: Vec<(&String, &WorkEntry)> = self
            .entries
            .iter()
            .filter(|(_, entry)| {
                query
                    .needs_review
                    .is_none_or(|wanted| entry.needs_review == wanted)
            })
            .filter(|(_, entry)| {
                query
                    .assurance_level
                    .is_none_or(|level| entry.assurance_level == level)
            })
            .collect();
        found.sort_by(|(a_id, a), (b_id, b)| {
            let order = match query.sort {
                WorkSort::Confidence => a.confidence.total_cmp(&b.confidence),
                WorkSort::Title => a.title.cmp(&b.title),
                WorkSort::Updated => a.updated.cmp(&b.updated),
                WorkSort::Priority => a.priority(now).total_cmp(&b.priority(now)),
            };
            let order = if query.is_ascending {
                order
            } else {
                order.reverse()
            };
            order.then(a_id.cmp(b_id))
        });
        let total = found.len();
        let page = found
            .into_iter()
            .skip(query.offset)
            .take(query.limit)
            .map(|(id, _)| id.clone());
        (page.collect(), total)
    }
}

impl MusicCatalogue {
    /// Returns the view of a principal, with all changes of the store.
    pub(super) async fn view(
        &self,
        principal: &Principal,
    ) -> CatalogueResult<Arc<Mutex<CatalogueView>>> {
        let view = Arc::clone(
            self.views
                .lock()
                .await
                .entry(principal.clone())
                .or_default(),
        );
        let mut current = view.lock().await;
        loop {
            let page = self
                .store
                .catalogue_changes(principal, ATTRIBUTION, current.revision, PAGE)
                .await?;
            for record in &page {
                current.revision = record.revision;
                match record.json.is_empty() {
                    true => current.remove(&record.id),
                    false => {
                        let read: AttributionRecord = read_record(record)?;
                        current.put(&read);
                    }
                }
            }
            if page.len() < PAGE {
                break;
            }
        }
        current.index.refresh();
        drop(current);
        Ok(view)
    }

    async fn read_attributions(
        &self,
        principal: &Principal,
        ids: Vec<String>,
    ) -> CatalogueResult<Vec<AttributionRecord>> {
        let found = self
            .store
            .catalogue_records(principal, ATTRIBUTION, ids)
            .await?;
        let records = found
            .iter()
            .map(|record| Ok(self.with_live_priority(read_record(record)?)));
        records.collect()
    }

    /// Lists works.
    pub async fn works(
        &self,
        principal: &Principal,
        query: &WorkListQuery,
    ) -> CatalogueResult<WorkList> {
        let view = self.view(principal).await?;
        let (ids, total) = view.lock().await.select(query, self.now().as_second());
        let records = self.read_attributions(principal, ids).await?;
        Ok(WorkList { records, total })
    }

    /// Searches works by title, artist, names of credits and people in common.
    pub async fn search_works(
        &self,
        principal: &Principal,
        query: &str,
        limit: usize,
    ) -> CatalogueResult<Vec<FoundWork>> {
        let view = self.view(principal).await?;
        let hits = view.lock().await.index.search(query, limit);
        let ids = hits.iter().map(|hit| hit.id.clone()).collect();
        let mut records: HashMap<String, AttributionRecord> = self
            .read_attributions(principal, ids)
            .await?
            .into_iter()
            .map(|record| (record.attribution_id.clone(), record))
            .collect();
        let found = hits.into_iter().filter_map(|hit| {
            let attribution = records.remove(&hit.id)?;
            Some(FoundWork { attribution, hit })
        });
        Ok(found.collect())
    }

    /// Returns the number of works that need a review.
    pub async fn review_queue_size(&self, principal: &Principal) -> CatalogueResult<usize> {
        let view = self.view(principal).await?;
        let count = view.lock().await.review_count();
        Ok(count)
    }
}
