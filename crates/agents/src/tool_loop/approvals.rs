//! Approvals: calls that wait for the user, and the answers to them.

use std::sync::Arc;
use std::time::Duration;

use agui::model::{Interrupt, ResumeEntry, ResumeStatus};
use json::{Json, JsonObject, Value};

use super::run::RunFailure;
use crate::approval_store::{Approval, ApprovalResult, ApprovalStore};
use crate::model::ModelToolCall;
use crate::tool::Tool;

/// Calls that wait for an approval, and results of approved calls.
///
/// The call is stored as the model wrote it, so a client can neither change it in the conversation nor run it twice. An
/// approval that is not stored is rejected.
pub(super) struct ApprovalLedger(pub(super) Arc<dyn ApprovalStore>);

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

impl From<std::io::Error> for RunFailure {
    fn from(error: std::io::Error) -> Self {
        Self {
            code: "storage",
            message: format!("The approval cannot be stored or read: {error}. Nothing was done."),
        }
    }
}

impl ApprovalLedger {
    /// Stores a call and returns the question to the user.
    pub(super) fn ask(
        &self,
        thread_id: &str,
        call: &ModelToolCall,
        tool: &Tool,
        expiry: Duration,
        now: u64,
    ) -> Result<Interrupt, RunFailure> {
        let expires = now.saturating_add(u64::try_from(expiry.as_millis()).unwrap_or(u64::MAX));
        self.0.save(&Approval {
            thread_id: thread_id.to_owned(),
            call_id: call.id.clone(),
            tool: call.name.clone(),
            arguments: call.arguments.clone(),
            expires,
            result: None,
        })?;
        Ok(Interrupt {
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
        })
    }

    /// Returns true if the call waits for an approval or had one.
    pub(super) fn knows(&self, thread_id: &str, call_id: &str) -> Result<bool, RunFailure> {
        Ok(self.0.load(thread_id, call_id)?.is_some())
    }

    /// Decides about a call by the answer of the user.
    pub(super) fn decide(
        &self,
        thread_id: &str,
        call: &ModelToolCall,
        answer: Option<&ResumeEntry>,
        now: u64,
    ) -> Result<ApprovalDecision, RunFailure> {
        let approval = self.0.load(thread_id, &call.id)?;
        // The name is the client's; a call of another tool was never approved.
        let Some(mut approval) = approval.filter(|approval| approval.tool == call.name) else {
            let text = "The approval is not known any more, so nothing was done. Ask again.";
            return Ok(ApprovalDecision::Result(text.to_owned(), true));
        };
        // The first decision counts; the same answer again changes nothing.
        if let Some(result) = approval.result {
            return Ok(ApprovalDecision::Result(result.text, result.is_error));
        }
        let (decision, result) = decide_first(&approval, answer, now);
        approval.result = Some(result);
        self.0.save(&approval)?;
        Ok(decision)
    }

    /// Stores the result of an approved call, which a repeated answer receives again.
    pub(super) fn store_result(
        &self,
        thread_id: &str,
        call_id: &str,
        text: &str,
        is_error: bool,
    ) -> Result<(), RunFailure> {
        if let Some(mut approval) = self.0.load(thread_id, call_id)? {
            approval.result = Some(ApprovalResult {
                text: text.to_owned(),
                is_error,
            });
            self.0.save(&approval)?;
        }
        Ok(())
    }
}

/// Returns the first decision about a call, and the result to store before it is carried out.
fn decide_first(
    approval: &Approval,
    answer: Option<&ResumeEntry>,
    now: u64,
) -> (ApprovalDecision, ApprovalResult) {
    let reject = |text: String| {
        let decision = ApprovalDecision::Result(text.clone(), true);
        let is_error = true;
        (decision, ApprovalResult { text, is_error })
    };
    let Some(answer) = answer.filter(|answer| answer.status == ResumeStatus::Resolved) else {
        return reject("The user did not approve the call. Nothing was done.".to_owned());
    };
    if now > approval.expires {
        return reject("The approval came too late. Nothing was done.".to_owned());
    }
    let payload = answer.payload.as_ref();
    let payload = payload.map(|payload| payload.value().into_owned());
    let payload = payload.unwrap_or_default();
    let is_approved =
        matches!(payload, Value::Bool(true)) || matches!(payload["approved"], Value::Bool(true));
    if !is_approved {
        return reject(match payload["reason"].as_str() {
            Some(reason) => format!("The user rejected the call: {reason}"),
            None => "The user rejected the call. Nothing was done.".to_owned(),
        });
    }
    let arguments = match payload.get("arguments") {
        Some(edited @ Value::Object(_)) => edited.to_json(),
        _ => approval.arguments.clone(),
    };
    // A run that ends before the result is stored must not be repeated.
    let started = ApprovalResult {
        text: "The call was started before.".to_owned(),
        is_error: true,
    };
    (ApprovalDecision::Run(arguments), started)
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
