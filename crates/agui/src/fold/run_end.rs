//! Tool calls of a run, and the summary of its end.

use hashbrown::HashMap;

use crate::event::RunFinished;
use crate::model::{Interrupt, RunOutcome};
use json::Json;

/// End of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct FinishedRun {
    /// `success`, `interrupt` or `cancelled`.
    pub outcome: &'static str,
    /// Result of a successful run.
    pub result: Option<Json>,
    /// After success, the calls that the client must answer.
    pub pending_tool_call_ids: Option<Vec<String>>,
    /// After an interrupt, the interrupts that must be answered.
    pub interrupts: Option<Vec<Interrupt>>,
}

/// Tool calls of one run.
#[derive(Debug, Default)]
pub(super) struct RunCalls {
    by_id: HashMap<String, ToolCallProgress>,
}

/// Progress of a tool call in the current run.
#[derive(Debug, Default)]
struct ToolCallProgress {
    /// Position among the calls, if it was started.
    started: Option<usize>,
    answered: bool,
}

impl RunCalls {
    /// Records the start of a call.
    pub(super) fn start(&mut self, id: &str) {
        let number = self.by_id.len();
        self.by_id
            .entry_ref(id)
            .or_default()
            .started
            .get_or_insert(number);
    }

    /// Records the result of a call.
    pub(super) fn answer(&mut self, id: &str) {
        self.by_id.entry_ref(id).or_default().answered = true;
    }

    /// Returns the ids of calls without a result, in the order of their start.
    fn unanswered(&self) -> Vec<String> {
        let mut open: Vec<(usize, &String)> = self
            .by_id
            .iter()
            .filter(|(_, call)| !call.answered)
            .filter_map(|(id, call)| Some((call.started?, id)))
            .collect();
        open.sort_unstable();
        open.into_iter().map(|(_, id)| id.clone()).collect()
    }

    /// Summarises the end of the run.
    pub(super) fn finish_run(&self, data: &RunFinished) -> FinishedRun {
        match data.outcome.as_deref() {
            Some(RunOutcome::Interrupt { interrupts }) => FinishedRun {
                outcome: "interrupt",
                result: None,
                pending_tool_call_ids: None,
                interrupts: Some(interrupts.clone()),
            },
            Some(RunOutcome::Cancelled) => FinishedRun {
                outcome: "cancelled",
                result: None,
                pending_tool_call_ids: None,
                interrupts: None,
            },
            success => {
                let named = match success {
                    Some(RunOutcome::Success {
                        pending_tool_call_ids: Some(ids),
                    }) if !ids.is_empty() => Some(ids.clone()),
                    _ => None,
                };
                FinishedRun {
                    outcome: "success",
                    result: data.result.as_ref().map(Json::detached),
                    pending_tool_call_ids: Some(named.unwrap_or_else(|| self.unanswered())),
                    interrupts: None,
                }
            }
        }
    }
}
