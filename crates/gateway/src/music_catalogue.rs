//! Music credits of a principal: the stored catalogue, the pipeline over it, reviews and permissions.

mod catalogue_view;
mod permission_store;
mod pipeline_run;
mod review_actions;
mod suggestions;

use std::collections::HashMap;
use std::sync::Arc;

use attribution::{AttributionRecord, Calibration, CalibrationLabel, CorrectionError};
use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;
use store::{CatalogueRecord, CatalogueWrite, Principal, Store, StoreError, Timestamp};
use tokio::sync::Mutex;

use catalogue_view::CatalogueView;
pub use catalogue_view::{FoundWork, WorkList, WorkListQuery, WorkSort};
pub use pipeline_run::{ImportSummary, ResolveSummary};
pub use review_actions::{ApprovalOutcome, NewFeedback, QueueItem, SeenVersion};
pub use suggestions::suggest_corrections;

/// Coverage of the prediction sets.
const COVERAGE: f64 = 0.9;
/// Number of records that are read at a time.
const PAGE: usize = 1_000;

const SOURCE_RECORD: &str = "source_record";
const ATTRIBUTION: &str = "attribution";
const ENTITY: &str = "entity";
const FEEDBACK: &str = "feedback";
const LABEL: &str = "label";
const MERGE_DECISION: &str = "merge_decision";
const DOUBTFUL_MERGE: &str = "doubtful_merge";
const PERMISSION: &str = "permission";
const PERMISSION_AUDIT: &str = "permission_audit";

/// Failure of a request to the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CatalogueError {
    /// There is no such object.
    #[error("{0}")]
    NotFound(String),
    /// The request cannot be carried out.
    #[error("{0}")]
    Invalid(String),
    /// The record was changed by someone else.
    #[error("The record `{id}` has changed: its version is {current}, not {seen}. Load it again.")]
    Stale {
        /// Attribution id or permission id.
        id: String,
        /// Version of the record.
        current: u64,
        /// Version that the request names.
        seen: u64,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<CorrectionError> for CatalogueError {
    fn from(error: CorrectionError) -> Self {
        match error {
            CorrectionError::NoSuchCorrection(..) => Self::NotFound(error.to_string()),
            _ => Self::Invalid(error.to_string()),
        }
    }
}

type CatalogueResult<T> = Result<T, CatalogueError>;

/// Catalogues of all principals.
pub struct MusicCatalogue {
    store: Arc<dyn Store>,
    clock: fn() -> Timestamp,
    new_id: fn() -> String,
    views: Mutex<HashMap<Principal, Arc<Mutex<CatalogueView>>>>,
}

impl MusicCatalogue {
    /// Creates the catalogues of a store.
    pub fn new(store: Arc<dyn Store>, clock: fn() -> Timestamp, new_id: fn() -> String) -> Self {
        Self {
            store,
            clock,
            new_id,
            views: Mutex::default(),
        }
    }

    fn now(&self) -> jiff::Timestamp {
        jiff::Timestamp::from_millisecond((self.clock)().0).unwrap_or_default()
    }

    fn now_text(&self) -> String {
        self.now().to_string()
    }

    /// Returns an attribution by its id or by that of its work.
    pub async fn attribution(
        &self,
        principal: &Principal,
        id: &str,
    ) -> CatalogueResult<AttributionRecord> {
        if let Some(found) = self
            .find::<AttributionRecord>(principal, ATTRIBUTION, id)
            .await?
        {
            return Ok(self.with_live_priority(found));
        }
        let view = self.view(principal).await?;
        let known = view.lock().await.attribution_of_work(id);
        let found = match known {
            Some(known) => self.find(principal, ATTRIBUTION, &known).await?,
            None => None,
        };
        found
            .map(|record| self.with_live_priority(record))
            .ok_or_else(|| {
                CatalogueError::NotFound(format!("No attribution record found for ID: {id}"))
            })
    }

    /// Returns the record with its priority at this time.
    fn with_live_priority(&self, mut record: AttributionRecord) -> AttributionRecord {
        record.review_priority = attribution::priority_factors(&record, self.now()).priority;
        record
    }

    /// Returns the calibration on all labels, which grow with the decisions of reviewers.
    pub async fn calibration(&self, principal: &Principal) -> CatalogueResult<Calibration> {
        let labels: Vec<CalibrationLabel> = self.all(principal, LABEL).await?;
        Ok(Calibration::new(&labels, COVERAGE))
    }

    async fn find<T: DeserializeOwned>(
        &self,
        principal: &Principal,
        kind: &str,
        id: &str,
    ) -> CatalogueResult<Option<T>> {
        if id.is_empty() || id.len() > 512 {
            return Ok(None);
        }
        let found = self
            .store
            .catalogue_records(principal, kind, vec![id.to_owned()])
            .await?;
        found.first().map(read_record).transpose()
    }

    /// Reads all records of a kind.
    async fn all<T: DeserializeOwned>(
        &self,
        principal: &Principal,
        kind: &str,
    ) -> CatalogueResult<Vec<T>> {
        let (mut records, mut after) = (Vec::new(), 0);
        loop {
            let page = self
                .store
                .catalogue_changes(principal, kind, after, PAGE)
                .await?;
            after = page.last().map_or(after, |record| record.revision);
            let is_last = page.len() < PAGE;
            for record in page.iter().filter(|record| !record.json.is_empty()) {
                records.push(read_record(record)?);
            }
            if is_last {
                return Ok(records);
            }
        }
    }

    async fn put(
        &self,
        principal: &Principal,
        writes: Vec<CatalogueWrite>,
    ) -> CatalogueResult<usize> {
        Ok(self
            .store
            .put_catalogue(principal, writes, (self.clock)())
            .await?)
    }
}

fn read_record<T: DeserializeOwned>(record: &CatalogueRecord) -> CatalogueResult<T> {
    serde_json::from_slice(&record.json).map_err(|error| {
        CatalogueError::Store(StoreError::Corrupt {
            detail: format!("{} {}: {error}", record.kind, record.id),
        })
    })
}

/// Returns the change that stores a value.
fn write(
    kind: &str,
    id: &str,
    version: u64,
    expected: Option<u64>,
    value: &impl Serialize,
) -> CatalogueWrite {
    CatalogueWrite {
        kind: kind.to_owned(),
        id: id.to_owned(),
        version,
        expected,
        // The types of the data model have string keys only, so they always have a JSON form.
        json: serde_json::to_vec(value)
            .map(Bytes::from)
            .unwrap_or_default(),
    }
}
