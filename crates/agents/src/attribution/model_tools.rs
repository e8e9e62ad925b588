//! The agent with a model: the four tools for the tool loop, and the instructions.

use std::sync::{Arc, Mutex, PoisonError};

use ::attribution::{EvidenceType, ReviewerRole};
use schemars::JsonSchema;
use serde::Deserialize;

use super::agent_state::AttributionAgentState;
use super::catalogue::{CreditCatalogue, CreditError};
use super::credit_tools::{
    SubmittedAssessment, SuggestedCorrection, explain_confidence, search_attributions,
    submit_feedback, suggest_correction,
};
use crate::tool::{SharedState, Tool, ToolError};

/// Instructions of the agent.
pub(super) const SYSTEM: &str = "You are an expert assistant for music credits, their provenance and their confidence. Artists, managers and musicologists \
use you to review and improve attribution records.

- Explain a confidence by its factors: source agreement, number of independent sources, conflicts, prediction sets. Assurance: A0 no identified source, \
A1 one source with an identifier, A2 independent sources agree, A3 confirmed by the artist and another source. No source can fully verify what happened in a studio; say so when it matters.
- Use search_attributions to find works and their ids; never invent an id. Use explain_confidence for questions about a score.
- Suggest corrections with suggest_correction; show the person the difference, and call submit_feedback only after the person agreed.
- The context may name the selected work and the role of the user. Plain words for artists, precise ones for experts. Be concise, name the sources.";

/// State of the run that the tools share, for the snapshot at its end.
pub(super) type LastState = Arc<Mutex<Option<SharedState>>>;

#[derive(Deserialize, JsonSchema)]
struct ExplainArguments {
    /// Attribution id or work entity id.
    work_id: String,
}

#[derive(Deserialize, JsonSchema)]
struct SearchWorksArguments {
    /// Words of a title, an artist or a name.
    query: String,
}

#[derive(Deserialize, JsonSchema)]
struct CorrectionArguments {
    /// Attribution id or work entity id.
    work_id: String,
    /// work_title, artist_name, or a role such as producer.
    field: String,
    /// Value in the record; Unknown if there is none.
    current_value: String,
    /// Proposed value.
    suggested_value: String,
    /// Reason, with the source.
    reason: String,
}

#[derive(Deserialize, JsonSchema)]
struct FeedbackArguments {
    /// Attribution id or work entity id.
    work_id: String,
    /// Assessment of the record from 0 to 1.
    overall_assessment: f64,
    /// Notes.
    free_text: Option<String>,
    /// ARTIST, MANAGER, MUSICOLOGIST, PRODUCER or FAN.
    reviewer_role: Option<String>,
    /// LINER_NOTES, MEMORY, DOCUMENT, SESSION_NOTES or OTHER.
    evidence_type: Option<String>,
}

fn failed(CreditError(message): CreditError) -> ToolError {
    ToolError::Failed(message)
}

fn begin(state: &SharedState, last: &LastState) -> AttributionAgentState {
    *last.lock().unwrap_or_else(PoisonError::into_inner) = Some(state.clone());
    AttributionAgentState::read(&state.value())
}

/// Catalogue and last state that a tool uses.
#[derive(Clone)]
struct ToolParts {
    catalogue: Arc<dyn CreditCatalogue>,
    last: LastState,
    is_artist: bool,
}

/// Returns the tools of a run.
pub(super) fn tools(
    catalogue: &Arc<dyn CreditCatalogue>,
    last: &LastState,
    is_artist: bool,
) -> Vec<Tool> {
    let parts = ToolParts {
        catalogue: Arc::clone(catalogue),
        last: Arc::clone(last),
        is_artist,
    };
    vec![
        explain_tool(parts.clone()),
        search_tool(parts.clone()),
        suggest_tool(parts.clone()),
        submit_tool(parts),
    ]
}

fn explain_tool(parts: ToolParts) -> Tool {
    let description = "Explains the confidence of a work by its factors.";
    Tool::new(
        "explain_confidence",
        description,
        move |arguments: ExplainArguments, context| {
            let parts = parts.clone();
            async move {
                let mut state = begin(&context.state, &parts.last);
                let explained =
                    explain_confidence(&*parts.catalogue, &mut state, &arguments.work_id).await;
                let text = explained.map_err(failed)?;
                state.write(&context.state);
                Ok(text)
            }
        },
    )
}

fn search_tool(parts: ToolParts) -> Tool {
    let description =
        "Searches works by title, artist and credited names. Returns up to 10 with their ids.";
    Tool::new(
        "search_attributions",
        description,
        move |arguments: SearchWorksArguments, context| {
            let parts = parts.clone();
            async move {
                let mut state = begin(&context.state, &parts.last);
                let found =
                    search_attributions(&*parts.catalogue, &mut state, &arguments.query).await;
                let text = found.map_err(failed)?;
                state.write(&context.state);
                Ok(text)
            }
        },
    )
}

fn suggest_tool(parts: ToolParts) -> Tool {
    let description = "Suggests a correction of a field. The person sees it as a difference before it is submitted.";
    Tool::new(
        "suggest_correction",
        description,
        move |arguments: CorrectionArguments, context| {
            let parts = parts.clone();
            async move {
                let mut state = begin(&context.state, &parts.last);
                let suggested = SuggestedCorrection {
                    work_id: &arguments.work_id,
                    field: &arguments.field,
                    current_value: &arguments.current_value,
                    suggested_value: &arguments.suggested_value,
                    reason: &arguments.reason,
                    confidence: 0.8,
                };
                let text = suggest_correction(&*parts.catalogue, &mut state, suggested)
                    .await
                    .map_err(failed)?;
                state.write(&context.state);
                Ok(text)
            }
        },
    )
}

fn submit_tool(parts: ToolParts) -> Tool {
    let description = "Submits feedback on a work with the corrections that wait.";
    Tool::new(
        "submit_feedback",
        description,
        move |arguments: FeedbackArguments, context| {
            let parts = parts.clone();
            async move {
                let mut state = begin(&context.state, &parts.last);
                let role = arguments
                    .reviewer_role
                    .as_deref()
                    .and_then(ReviewerRole::from_word);
                let evidence = arguments
                    .evidence_type
                    .as_deref()
                    .and_then(EvidenceType::from_word);
                let submitted = SubmittedAssessment {
                    work_id: &arguments.work_id,
                    overall_assessment: arguments.overall_assessment,
                    free_text: arguments.free_text.as_deref(),
                    reviewer_role: role.unwrap_or(match parts.is_artist {
                        true => ReviewerRole::Artist,
                        false => ReviewerRole::Fan,
                    }),
                    evidence_type: evidence.unwrap_or(EvidenceType::Other),
                };
                let text = submit_feedback(&*parts.catalogue, &mut state, submitted)
                    .await
                    .map_err(failed)?;
                state.write(&context.state);
                Ok(text)
            }
        },
    )
}
