//! The catalogue of music credits of a principal, as the attribution agent sees it.

use std::sync::Arc;

use ::agents::attribution::{
    CreditCatalogue, CreditError, CreditFuture, FeedbackInput, SubmittedFeedback,
};
use agui::Agent;
use agui::agent::EventStream;
use agui::model::RunAgentInput;
use attribution::{AttributionRecord, CorrectionStatus};
use json::Json;
use store::Principal;

use crate::music_catalogue::{CatalogueError, MusicCatalogue, NewFeedback};

/// Catalogue of a principal.
#[derive(Clone)]
pub(crate) struct PrincipalCatalogue {
    catalogue: Arc<MusicCatalogue>,
    principal: Principal,
}

fn failed(error: &CatalogueError) -> CreditError {
    CreditError(error.to_string())
}

impl PrincipalCatalogue {
    pub(crate) fn new(catalogue: &Arc<MusicCatalogue>, principal: &Principal) -> Self {
        Self {
            catalogue: Arc::clone(catalogue),
            principal: principal.clone(),
        }
    }

    /// Returns the ids of the corrections of a record in a state.
    async fn corrections(
        &self,
        id: &str,
        status: CorrectionStatus,
    ) -> Result<(AttributionRecord, Vec<String>), CatalogueError> {
        let record = self.catalogue.attribution(&self.principal, id).await?;
        let found = record
            .corrections
            .iter()
            .filter(|correction| correction.status == status);
        let ids = found
            .map(|correction| correction.correction_id.clone())
            .collect();
        Ok((record, ids))
    }
}

impl CreditCatalogue for PrincipalCatalogue {
    fn attribution<'a>(&'a self, id: &'a str) -> CreditFuture<'a, AttributionRecord> {
        Box::pin(async move {
            self.catalogue
                .attribution(&self.principal, id)
                .await
                .map_err(|error| failed(&error))
        })
    }

    fn search<'a>(
        &'a self,
        query: &'a str,
        limit: usize,
    ) -> CreditFuture<'a, Vec<AttributionRecord>> {
        Box::pin(async move {
            let found = self
                .catalogue
                .search_works(&self.principal, query, limit)
                .await
                .map_err(|error| failed(&error))?;
            Ok(found.into_iter().map(|found| found.attribution).collect())
        })
    }

    fn submit<'a>(
        &'a self,
        id: &'a str,
        feedback: FeedbackInput,
    ) -> CreditFuture<'a, SubmittedFeedback> {
        Box::pin(async move {
            let feedback = NewFeedback {
                reviewer_id: self.principal.to_string(),
                reviewer_role: feedback.reviewer_role,
                attribution_version: feedback.attribution_version,
                corrections: feedback.corrections,
                overall_assessment: feedback.overall_assessment,
                free_text: feedback.free_text,
                evidence_type: feedback.evidence_type,
            };
            let (card, record) = self
                .catalogue
                .add_feedback(&self.principal, id, feedback)
                .await
                .map_err(|error| failed(&error))?;
            Ok(SubmittedFeedback {
                feedback_id: card.feedback_id,
                center_bias_flag: card.center_bias_flag,
                record,
            })
        })
    }

    fn accept_pending<'a>(&'a self, id: &'a str) -> CreditFuture<'a, AttributionRecord> {
        Box::pin(async move {
            let (mut record, pending) = self
                .corrections(id, CorrectionStatus::Pending)
                .await
                .map_err(|error| failed(&error))?;
            if pending.is_empty() {
                return Err(CreditError(
                    "No submitted correction of this work waits for a decision.".to_owned(),
                ));
            }
            for correction in pending {
                let accepted = self.catalogue.accept(
                    &self.principal,
                    id,
                    &correction,
                    self.principal.as_str(),
                );
                record = accepted.await.map_err(|error| failed(&error))?;
            }
            Ok(record)
        })
    }

    fn undo_last<'a>(&'a self, id: &'a str) -> CreditFuture<'a, AttributionRecord> {
        Box::pin(async move {
            let (_, accepted) = self
                .corrections(id, CorrectionStatus::Accepted)
                .await
                .map_err(|error| failed(&error))?;
            let Some(last) = accepted.last() else {
                return Err(CreditError(
                    "This work has no accepted correction that could be taken back.".to_owned(),
                ));
            };
            self.catalogue
                .undo(&self.principal, id, last, self.principal.as_str())
                .await
                .map_err(|error| failed(&error))
        })
    }

    fn review_queue(&self, limit: usize) -> CreditFuture<'_, (usize, Vec<AttributionRecord>)> {
        Box::pin(async move {
            let (items, total) = self
                .catalogue
                .review_queue(&self.principal, 0, limit)
                .await
                .map_err(|error| failed(&error))?;
            Ok((
                total,
                items.into_iter().map(|item| item.attribution).collect(),
            ))
        })
    }
}

/// Agent that begins with the state of the thread if the client sends none.
pub(crate) struct ThreadStateAgent {
    pub(crate) agent: Arc<dyn Agent>,
    pub(crate) state: Option<Json>,
}

impl Agent for ThreadStateAgent {
    fn run(&self, mut input: RunAgentInput) -> EventStream {
        if input.state.is_none() {
            input.state.clone_from(&self.state);
        }
        self.agent.run(input)
    }
}
