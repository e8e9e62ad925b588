//! Approvals: calls that wait for the user, and the answers to them.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use agui::model::{Interrupt, ResumeEntry, ResumeStatus};
use json::{Json, JsonObject, Value};

use crate::model::ModelToolCall;
use crate::tool::Tool;

/// Limit on remembered approvals; the oldest is forgotten, which rejects it.
const MAX_APPROVALS: usize = 1_000;

/// Calls that wait for an approval, and results of approved calls.
///
/// The call is remembered as the model wrote it, so a client can neither change it in the conversation nor run it
/// twice. An approval that is not remembered, for example after a restart, is rejected.
#[derive(Debug, Default)]
pub(super) struct ApprovalLedger(Mutex<VecDeque<ApprovalEntry>>);

#[derive(Debug)]
struct ApprovalEntry {
    thread_id: String,
    call: ModelToolCall,
    /// Milliseconds since 1970 after which the approval is void.
    expires: u64,
    /// Result, once the call was approved and done, or rejected.
    result: Option<(String, bool)>,
}

/// Decision about a call that waited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ApprovalDecision {
    /// The call is run with these arguments.
    Run(String),
    /// The call has this result; true if it is an error.
    Result(String, bool),
}

/// Returns the id of the interrupt of a call.
pub(super) fn interrupt_id(call_id: &str) -> String {
    format!("approval-{call_id}")
}

impl ApprovalLedger {
    fn lock(&self) -> MutexGuard<'_, VecDeque<ApprovalEntry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers a call and returns the question to the user.
    pub(super) fn ask(
        &self,
        thread_id: &str,
        call: &ModelToolCall,
        tool: &Tool,
        expiry: Duration,
        now: u64,
    ) -> Interrupt {
        let expires = now.saturating_add(u64::try_from(expiry.as_millis()).unwrap_or(u64::MAX));
        let mut entries = self.lock();
        if entries.len() == MAX_APPROVALS {
            entries.pop_front();
        }
        entries.push_back(ApprovalEntry {
            thread_id: thread_id.to_owned(),
            call: call.clone(),
            expires,
            result: None,
        });
        drop(entries);
        Interrupt {
            id: interrupt_id(&call.id),
            reason: "tool_call".to_owned(),
            message: Some(format!(
                "Allow `{}`? {}",
                call.name,
                tool.definition().description
            )),
            tool_call_id: Some(call.id.clone()),
            response_schema: JsonObject::new(response_schema(tool)),
            expires_at: timestamp(expires),
            metadata: JsonObject::new(Json::from(Value::from([
                ("toolName", call.name.as_str().into()),
                (
                    "arguments",
                    Value::parse(&call.arguments).unwrap_or_default(),
                ),
            ]))),
            subagent_run_id: None,
        }
    }

    /// Returns true if the call waits for an approval or had one.
    pub(super) fn knows(&self, thread_id: &str, call_id: &str) -> bool {
        let entries = self.lock();
        entries
            .iter()
            .any(|entry| entry.thread_id == thread_id && entry.call.id == call_id)
    }

    /// Decides about a call by the answer of the user.
    pub(super) fn decide(
        &self,
        thread_id: &str,
        call_id: &str,
        answer: Option<&ResumeEntry>,
        now: u64,
    ) -> ApprovalDecision {
        let mut entries = self.lock();
        let entry = entries
            .iter_mut()
            .find(|entry| entry.thread_id == thread_id && entry.call.id == call_id);
        let Some(entry) = entry else {
            let text = "The approval is not known any more, so nothing was done. Ask again.";
            return ApprovalDecision::Result(text.to_owned(), true);
        };
        // The first decision counts; the same answer again changes nothing.
        if let Some((result, is_error)) = &entry.result {
            return ApprovalDecision::Result(result.clone(), *is_error);
        }
        let rejected = |text: &str| Some((text.to_owned(), true));
        let answer = answer.filter(|answer| answer.status == ResumeStatus::Resolved);
        let payload = answer.map(|answer| {
            let payload = answer.payload.as_ref();
            payload
                .map(|payload| payload.value().into_owned())
                .unwrap_or_default()
        });
        let is_approved = payload.as_ref().is_some_and(|payload| {
            matches!(payload, Value::Bool(true)) || matches!(payload["approved"], Value::Bool(true))
        });
        entry.result = match payload {
            None => rejected("The user did not approve the call. Nothing was done."),
            _ if now > entry.expires => rejected("The approval came too late. Nothing was done."),
            Some(payload) if !is_approved => match payload["reason"].as_str() {
                Some(reason) => Some((format!("The user rejected the call: {reason}"), true)),
                None => rejected("The user rejected the call. Nothing was done."),
            },
            Some(payload) => {
                let arguments = match payload.get("arguments") {
                    Some(edited @ Value::Object(_)) => edited.to_json(),
                    _ => entry.call.arguments.clone(),
                };
                // A run that ends before the result is stored must not be repeated.
                entry.result = Some(("The call was started before.".to_owned(), true));
                return ApprovalDecision::Run(arguments);
            }
        };
        let (text, is_error) = entry.result.clone().unwrap_or_default();
        ApprovalDecision::Result(text, is_error)
    }

    /// Stores the result of an approved call, which a repeated answer receives again.
    pub(super) fn store_result(
        &self,
        thread_id: &str,
        call_id: &str,
        result: &str,
        is_error: bool,
    ) {
        let mut entries = self.lock();
        let entry = entries
            .iter_mut()
            .find(|entry| entry.thread_id == thread_id && entry.call.id == call_id);
        if let Some(entry) = entry {
            entry.result = Some((result.to_owned(), is_error));
        }
    }
}

/// Returns the schema of an answer: approved or not, edited arguments, a reason.
fn response_schema(tool: &Tool) -> Json {
    let kind = |name: &str| Value::from([("type", name.into())]);
    let arguments = tool.definition().parameters.value().into_owned();
    Json::from(Value::from([
        ("type", "object".into()),
        (
            "properties",
            Value::from([
                ("approved", kind("boolean")),
                ("arguments", arguments),
                ("reason", kind("string")),
            ]),
        ),
        ("required", Value::Array(vec!["approved".into()])),
    ]))
}

/// Returns milliseconds since 1970 in the form of ISO 8601.
fn timestamp(milliseconds: u64) -> Option<String> {
    let milliseconds = i64::try_from(milliseconds).ok()?;
    let timestamp = jiff::Timestamp::from_millisecond(milliseconds).ok()?;
    Some(timestamp.to_string())
}
