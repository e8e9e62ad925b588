//! Reviews: feedback, corrections, approvals and the queue.

use attribution::{
    AttributionRecord, CalibrationLabel, Correction, CorrectionStatus, EvidenceType, FeedbackCard,
    PriorityFactors, ProvenanceDetails, ProvenanceEvent, ReviewDecision, ReviewerRole,
    SCHEMA_VERSION, accept_correction, confirm_record, derived_id, is_center_biased,
    priority_factors, reject_correction, role_distribution, undo_correction, validate_correction,
};
use store::{CatalogueWrite, Principal, StoreError};

use super::{
    ATTRIBUTION, CatalogueError, CatalogueResult, FEEDBACK, LABEL, MusicCatalogue, WorkListQuery,
    WorkSort, suggest_corrections, write,
};

/// Feedback as a reviewer sends it.
#[derive(Debug, Clone)]
pub struct NewFeedback {
    /// Reviewer.
    pub reviewer_id: String,
    /// Role of the reviewer.
    pub reviewer_role: ReviewerRole,
    /// Version of the attribution that the reviewer saw; the current one if absent.
    pub attribution_version: Option<u64>,
    /// Proposed changes.
    pub corrections: Vec<Correction>,
    /// Assessment of the record as a whole, from 0 to 1.
    pub overall_assessment: f64,
    /// Notes.
    pub free_text: Option<String>,
    /// Kind of evidence.
    pub evidence_type: EvidenceType,
}

/// Record and version that a reviewer saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenVersion {
    /// Attribution id.
    pub attribution_id: String,
    /// Version.
    pub version: u64,
}

/// Outcome of the approval of one record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalOutcome {
    /// Attribution id.
    pub attribution_id: String,
    /// New version, or the reason for which the record was not approved.
    pub result: Result<u64, String>,
}

/// Record of the review queue.
#[derive(Debug, Clone)]
pub struct QueueItem {
    /// Record.
    pub attribution: AttributionRecord,
    /// Factors of its priority.
    pub factors: PriorityFactors,
    /// Corrections that follow from conflicts between its sources.
    pub suggestions: Vec<Correction>,
}

impl MusicCatalogue {
    fn decision(&self, reviewer: &str, role: ReviewerRole, feedback_id: &str) -> ReviewDecision {
        ReviewDecision {
            reviewer_id: reviewer.to_owned(),
            reviewer_role: role,
            feedback_id: feedback_id.to_owned(),
            at: self.now_text(),
        }
    }

    /// Stores a record unless it was changed meanwhile.
    async fn save(
        &self,
        principal: &Principal,
        record: &AttributionRecord,
        before: u64,
        more: Vec<CatalogueWrite>,
    ) -> CatalogueResult<()> {
        let mut writes = vec![write(
            ATTRIBUTION,
            &record.attribution_id,
            record.version,
            Some(before),
            record,
        )];
        writes.extend(more);
        match self.put(principal, writes).await {
            Err(CatalogueError::Store(StoreError::Conflict { .. })) => {
                let current = self
                    .attribution(principal, &record.attribution_id)
                    .await?
                    .version;
                Err(CatalogueError::Stale {
                    id: record.attribution_id.clone(),
                    current,
                    seen: before,
                })
            }
            other => other.map(drop),
        }
    }

    /// Stores feedback. Its corrections become pending corrections of the record, in a new version.
    pub async fn add_feedback(
        &self,
        principal: &Principal,
        id: &str,
        feedback: NewFeedback,
    ) -> CatalogueResult<(FeedbackCard, AttributionRecord)> {
        let mut record = self.attribution(principal, id).await?;
        check_feedback(&record, &feedback)?;
        let before = record.version;
        let feedback_id = (self.new_id)();
        let mut corrections = feedback.corrections;
        for (number, correction) in corrections.iter_mut().enumerate() {
            let (field, current) = validate_correction(
                &record,
                &correction.field,
                &correction.current_value,
                &correction.corrected_value,
            )?;
            correction.field = field.name();
            correction.current_value = current;
            correction.correction_id = derived_id(&format!("{feedback_id}\n{number}"));
            correction.feedback_id.clone_from(&feedback_id);
            correction.reviewer_role = Some(feedback.reviewer_role);
            correction.status = CorrectionStatus::Pending;
            correction.replaced.clear();
        }
        let now = self.now_text();
        let card = FeedbackCard {
            schema_version: SCHEMA_VERSION.to_owned(),
            feedback_id: feedback_id.clone(),
            attribution_id: record.attribution_id.clone(),
            reviewer_id: feedback.reviewer_id.clone(),
            reviewer_role: feedback.reviewer_role,
            attribution_version: before,
            corrections: corrections.clone(),
            overall_assessment: feedback.overall_assessment,
            center_bias_flag: is_center_biased(feedback.overall_assessment),
            free_text: feedback.free_text,
            evidence_type: feedback.evidence_type,
            submitted_at: now.clone(),
        };
        let mut events = vec![ProvenanceDetails::Feedback {
            feedback_card_id: feedback_id.clone(),
            overall_assessment: card.overall_assessment,
            corrections_count: corrections.len(),
            accepted: false,
        }];
        if !corrections.is_empty() {
            events.push(ProvenanceDetails::Update {
                previous_version: before,
                new_version: before + 1,
                fields_changed: vec!["corrections".to_owned()],
                trigger: "feedback".to_owned(),
            });
            record.version += 1;
            record.updated_at.clone_from(&now);
        }
        for details in events {
            let mut event = ProvenanceEvent::new(&now, &feedback.reviewer_id, details);
            event.feedback_card_id = Some(feedback_id.clone());
            record.provenance_chain.push(event);
        }
        record.corrections.extend(corrections);
        let stored = write(FEEDBACK, &feedback_id, 1, Some(0), &card);
        self.save(principal, &record, before, vec![stored]).await?;
        Ok((card, self.with_live_priority(record)))
    }

    /// Accepts a pending correction: applies it, rescores the record and adds a label for the calibration.
    pub async fn accept(
        &self,
        principal: &Principal,
        id: &str,
        correction: &str,
        reviewer: &str,
    ) -> CatalogueResult<AttributionRecord> {
        self.decide(principal, id, correction, reviewer, Decision::Accept)
            .await
    }

    /// Rejects a pending correction.
    pub async fn reject(
        &self,
        principal: &Principal,
        id: &str,
        correction: &str,
        reviewer: &str,
    ) -> CatalogueResult<AttributionRecord> {
        self.decide(principal, id, correction, reviewer, Decision::Reject)
            .await
    }

    /// Takes an accepted correction back.
    pub async fn undo(
        &self,
        principal: &Principal,
        id: &str,
        correction: &str,
        reviewer: &str,
    ) -> CatalogueResult<AttributionRecord> {
        self.decide(principal, id, correction, reviewer, Decision::Undo)
            .await
    }

    async fn decide(
        &self,
        principal: &Principal,
        id: &str,
        correction: &str,
        reviewer: &str,
        decision: Decision,
    ) -> CatalogueResult<AttributionRecord> {
        let mut record = self.attribution(principal, id).await?;
        let calibration = self.calibration(principal).await?;
        let before = record.version;
        let known = record
            .corrections
            .iter()
            .find(|known| known.correction_id == correction)
            .cloned();
        let role = known
            .as_ref()
            .and_then(|known| known.reviewer_role)
            .unwrap_or(ReviewerRole::Musicologist);
        let feedback = known
            .as_ref()
            .map(|known| known.feedback_id.clone())
            .unwrap_or_default();
        let review = self.decision(reviewer, role, &feedback);
        let labels = match (&known, decision) {
            (Some(known), Decision::Accept) => label_of_correction(&record, known),
            _ => None,
        };
        match decision {
            Decision::Accept => accept_correction(&mut record, correction, &review, &calibration)?,
            Decision::Reject => reject_correction(&mut record, correction, &review, &calibration)?,
            Decision::Undo => undo_correction(&mut record, correction, &review, &calibration)?,
        }
        let more = labels.map(|label| {
            write(
                LABEL,
                &format!("{}.{before}", record.attribution_id),
                1,
                None,
                &label,
            )
        });
        self.save(principal, &record, before, more.into_iter().collect())
            .await?;
        Ok(self.with_live_priority(record))
    }

    /// Approves records as they are. A record that changed since the reviewer saw it is refused; the others are not.
    pub async fn approve(
        &self,
        principal: &Principal,
        seen: &[SeenVersion],
        reviewer: &str,
        role: ReviewerRole,
    ) -> CatalogueResult<Vec<ApprovalOutcome>> {
        let calibration = self.calibration(principal).await?;
        let mut outcomes = Vec::with_capacity(seen.len());
        for item in seen {
            let result = self
                .approve_one(principal, item, reviewer, role, &calibration)
                .await;
            let result = match result {
                Ok(version) => Ok(version),
                Err(CatalogueError::Store(error)) => return Err(error.into()),
                Err(error) => Err(error.to_string()),
            };
            outcomes.push(ApprovalOutcome {
                attribution_id: item.attribution_id.clone(),
                result,
            });
        }
        Ok(outcomes)
    }

    async fn approve_one(
        &self,
        principal: &Principal,
        item: &SeenVersion,
        reviewer: &str,
        role: ReviewerRole,
        calibration: &attribution::Calibration,
    ) -> CatalogueResult<u64> {
        let mut record = self.attribution(principal, &item.attribution_id).await?;
        let before = record.version;
        if before != item.version {
            return Err(CatalogueError::Stale {
                id: item.attribution_id.clone(),
                current: before,
                seen: item.version,
            });
        }
        let labels = labels_of_approval(&record);
        let review = self.decision(reviewer, role, &format!("approval-{}", (self.new_id)()));
        confirm_record(&mut record, &review, calibration);
        let more = labels.iter().enumerate().map(|(number, label)| {
            write(
                LABEL,
                &format!("{}.{before}.{number}", record.attribution_id),
                1,
                None,
                label,
            )
        });
        self.save(principal, &record, before, more.collect())
            .await?;
        Ok(record.version)
    }

    /// Returns the works that need a review, the most urgent first, with the number of all.
    pub async fn review_queue(
        &self,
        principal: &Principal,
        offset: usize,
        limit: usize,
    ) -> CatalogueResult<(Vec<QueueItem>, usize)> {
        let query = WorkListQuery {
            needs_review: Some(true),
            sort: WorkSort::Priority,
            offset,
            limit,
            ..WorkListQuery::default()
        };
        let list = self.works(principal, &query).await?;
        let now = self.now();
        let items = list.records.into_iter().map(|record| QueueItem {
            factors: priority_factors(&record, now),
            suggestions: suggest_corrections(&record),
            attribution: record,
        });
        Ok((items.collect(), list.total))
    }
}

#[derive(Clone, Copy)]
enum Decision {
    Accept,
    Reject,
    Undo,
}

fn check_feedback(record: &AttributionRecord, feedback: &NewFeedback) -> CatalogueResult<()> {
    if let Some(seen) = feedback.attribution_version
        && seen != record.version
    {
        return Err(CatalogueError::Stale {
            id: record.attribution_id.clone(),
            current: record.version,
            seen,
        });
    }
    let is_empty = feedback
        .free_text
        .as_ref()
        .is_none_or(|text| text.trim().is_empty());
    if feedback.corrections.is_empty() && is_empty {
        return Err(CatalogueError::Invalid(
            "Feedback needs at least one correction or a text.".to_owned(),
        ));
    }
    if !(0.0..=1.0).contains(&feedback.overall_assessment) {
        return Err(CatalogueError::Invalid(
            "`overall_assessment` must be from 0 to 1.".to_owned(),
        ));
    }
    let is_share =
        |correction: &Correction| (0.0..=1.0).contains(&correction.confidence_in_correction);
    match feedback.corrections.iter().all(is_share) {
        true => Ok(()),
        false => Err(CatalogueError::Invalid(
            "`confidence_in_correction` must be from 0 to 1.".to_owned(),
        )),
    }
}

/// Returns the label that an accepted correction gives: the credit that it replaces was wrong.
fn label_of_correction(
    record: &AttributionRecord,
    correction: &Correction,
) -> Option<CalibrationLabel> {
    let credit = record
        .credits
        .iter()
        .find(|credit| credit.entity_name == correction.current_value)?;
    let of_person = record
        .credits
        .iter()
        .filter(|other| other.entity_id == credit.entity_id);
    Some(CalibrationLabel {
        distribution: role_distribution(of_person),
        true_role: None,
        confidence: credit.confidence,
        is_correct: false,
    })
}

/// Returns the labels that an approval gives: every credit was right.
fn labels_of_approval(record: &AttributionRecord) -> Vec<CalibrationLabel> {
    let labels = record.credits.iter().map(|credit| {
        let of_person = record
            .credits
            .iter()
            .filter(|other| other.entity_id == credit.entity_id);
        CalibrationLabel {
            distribution: role_distribution(of_person),
            true_role: Some(credit.role),
            confidence: credit.confidence,
            is_correct: true,
        }
    });
    labels.collect()
}
