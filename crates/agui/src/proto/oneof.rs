//! Events of `ag_ui.proto`: the `oneof` of the message `Event`.

use super::schema::ProtoKind::{
    AnyAsObject, Base, Flag, Json, List, Outcome, OutcomeList, Parts, ResultText, Text,
};
use super::schema::{
    INPUT, INTERRUPT, MESSAGE, MessageShape, OPERATION, ProtoField, ProtoKind, USAGE, fields,
    scanned,
};
use crate::event::EventType;

/// One alternative of the `oneof`: an event type.
#[derive(Debug)]
pub(super) struct EventArm {
    pub(super) kind: EventType,
    /// Beginning of its JSON: `{"type":"NAME"`
    pub(super) opening: &'static str,
    /// Number of the event type, which differs from the field number.
    pub(super) number: u8,
    pub(super) shape: MessageShape,
    /// True if all fields besides the common ones are strings.
    pub(super) flat: bool,
}

const fn arm(
    kind: EventType,
    opening: &'static str,
    number: u8,
    fields: &'static [ProtoField],
) -> EventArm {
    let mut flat = true;
    let mut at = 1;
    while at < fields.len() {
        flat &= matches!(fields[at].kind, Text);
        at += 1;
    }
    EventArm {
        kind,
        opening,
        number,
        shape: scanned(fields),
        flat,
    }
}

macro_rules! arms {
    ($( $kind:ident $name:literal = $number:literal { $($fields:tt)* } )*) => {
        [ $( arm(EventType::$kind, concat!("{\"type\":\"", $name, "\""), $number, fields![
            required "baseEvent": Base, $($fields)*
        ]), )* ]
    };
}

const TABLE: [EventArm; 31] = arms! {
    TextMessageStart "TEXT_MESSAGE_START" = 0 {
        required "messageId": Text, optional "role": Text, optional "name": Text,
        optional "subagentRunId": Text,
    }
    TextMessageContent "TEXT_MESSAGE_CONTENT" = 1 {
        required "messageId": Text, required "delta": Text, optional "subagentRunId": Text,
    }
    TextMessageEnd "TEXT_MESSAGE_END" = 2 { required "messageId": Text, optional "subagentRunId": Text }
    ToolCallStart "TOOL_CALL_START" = 3 {
        required "toolCallId": Text, required "toolCallName": Text,
        optional "parentMessageId": Text, optional "subagentRunId": Text,
    }
    ToolCallArgs "TOOL_CALL_ARGS" = 4 {
        required "toolCallId": Text, required "delta": Text, optional "subagentRunId": Text,
    }
    ToolCallEnd "TOOL_CALL_END" = 5 { required "toolCallId": Text, optional "subagentRunId": Text }
    StateSnapshot "STATE_SNAPSHOT" = 6 { optional "snapshot": Json, optional "subagentRunId": Text }
    StateDelta "STATE_DELTA" = 7 { required "delta": List(&OPERATION), optional "subagentRunId": Text }
    MessagesSnapshot "MESSAGES_SNAPSHOT" = 8 { required "messages": List(&MESSAGE) }
    Raw "RAW" = 9 { optional "event": Json, optional "source": Text, optional "subagentRunId": Text }
    Custom "CUSTOM" = 10 {
        required "name": Text, optional "value": Json, optional "subagentRunId": Text,
    }
    RunStarted "RUN_STARTED" = 11 {
        required "threadId": Text, required "runId": Text, optional "parentRunId": Text,
        optional "input": ProtoKind::Message(&INPUT), optional "protocolVersion": Text,
    }
    RunFinished "RUN_FINISHED" = 12 {
        required "threadId": Text, required "runId": Text, optional "result": Json,
        optional "outcome": Outcome,
        required "interrupts": OutcomeList { of: "interrupt", items: Some(&INTERRUPT) },
        optional "usage": List(&USAGE),
        optional "pendingToolCallIds": OutcomeList { of: "success", items: None },
    }
    RunError "RUN_ERROR" = 13 {
        optional "code": Text, required "message": Text, optional "usage": List(&USAGE),
    }
    StepStarted "STEP_STARTED" = 14 { required "stepName": Text, optional "subagentRunId": Text }
    StepFinished "STEP_FINISHED" = 15 { required "stepName": Text, optional "subagentRunId": Text }
    TextMessageChunk "TEXT_MESSAGE_CHUNK" = 19 {
        optional "messageId": Text, optional "role": Text, optional "delta": Text,
        optional "name": Text, optional "subagentRunId": Text,
    }
    ToolCallChunk "TOOL_CALL_CHUNK" = 20 {
        optional "toolCallId": Text, optional "toolCallName": Text,
        optional "parentMessageId": Text, optional "delta": Text, optional "subagentRunId": Text,
    }
    SubagentStarted "SUBAGENT_STARTED" = 16 {
        required "subagentRunId": Text, required "name": Text, optional "description": Text,
        optional "parentSubagentRunId": Text, optional "parentToolCallId": Text,
        optional "parentMessageId": Text,
    }
    SubagentFinished "SUBAGENT_FINISHED" = 17 {
        required "subagentRunId": Text, optional "result": Json, optional "outcome": Outcome,
        optional "interruptIds": OutcomeList { of: "suspended", items: None },
    }
    SubagentError "SUBAGENT_ERROR" = 18 {
        required "subagentRunId": Text, required "message": Text, optional "code": Text,
    }
    ToolCallResult "TOOL_CALL_RESULT" = 21 {
        optional "subagentRunId": Text, required "messageId": Text, required "toolCallId": Text,
        optional "content": ResultText, optional "role": Text, optional "content": Parts,
    }
    ActivitySnapshot "ACTIVITY_SNAPSHOT" = 22 {
        optional "subagentRunId": Text, required "messageId": Text, required "activityType": Text,
        optional "content": AnyAsObject, optional "replace": Flag,
    }
    ActivityDelta "ACTIVITY_DELTA" = 23 {
        optional "subagentRunId": Text, required "messageId": Text, required "activityType": Text,
        required "patch": List(&OPERATION),
    }
    ReasoningStart "REASONING_START" = 24 { optional "subagentRunId": Text, required "messageId": Text }
    ReasoningMessageStart "REASONING_MESSAGE_START" = 25 {
        optional "subagentRunId": Text, required "messageId": Text, required "role": Text,
    }
    ReasoningMessageContent "REASONING_MESSAGE_CONTENT" = 26 {
        optional "subagentRunId": Text, required "messageId": Text, required "delta": Text,
    }
    ReasoningMessageEnd "REASONING_MESSAGE_END" = 27 { optional "subagentRunId": Text, required "messageId": Text }
    ReasoningMessageChunk "REASONING_MESSAGE_CHUNK" = 28 {
        optional "subagentRunId": Text, optional "messageId": Text, optional "delta": Text,
    }
    ReasoningEnd "REASONING_END" = 29 { optional "subagentRunId": Text, required "messageId": Text }
    ReasoningEncryptedValue "REASONING_ENCRYPTED_VALUE" = 30 {
        optional "subagentRunId": Text, required "subtype": Text, required "entityId": Text,
        required "encryptedValue": Text,
    }
};

/// Alternatives of the `oneof`; the first has field number 1.
pub(super) static ARMS: [EventArm; 31] = TABLE;

/// Index of the field with the content parts of a tool result.
pub(super) const RESULT_PARTS: usize = 6;

/// Index of each type in [`ARMS`].
static PLACES: [usize; 31] = {
    let mut places = [0; 31];
    let mut at = 0;
    while at < places.len() {
        places[TABLE[at].kind as usize] = at;
        at += 1;
    }
    places
};

/// Returns the field number and the alternative of an event type.
#[inline]
pub(super) fn arm_of(kind: EventType) -> (usize, &'static EventArm) {
    let place = PLACES[kind as usize];
    (place + 1, &ARMS[place])
}

#[cfg(test)]
mod tests {
    use super::{ARMS, arm_of};

    #[test]
    fn the_table_is_complete() {
        for (at, arm) in ARMS.iter().enumerate() {
            assert_eq!(arm_of(arm.kind).0, at + 1);
            assert_eq!(arm.opening, format!("{{\"type\":\"{}\"", arm.kind));
            assert_eq!(
                ARMS.iter()
                    .filter(|other| other.number == arm.number)
                    .count(),
                1
            );
        }
    }
}
