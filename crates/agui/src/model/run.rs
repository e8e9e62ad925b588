//! Input and outcome of a run.

use json::string_enum;
use json::typed::{NotTyped, SafeCount, TypedJson, TypedReader, read_member, write_member};
use json::typed::{Schema, SchemaUnion, UnionArm, optional, required};
use json::typed_object;
use json::{Json, JsonObject, Text};

use super::message::Message;

typed_object! {
    /// Request to run an agent.
    RunAgentInput {
        /// Id of the conversation.
        thread_id: String = "threadId",
        /// Id of the run.
        run_id: String = "runId",
        /// Protocol version of the client.
        protocol_version: Option<String> = "protocolVersion",
        /// Id of the run that this one branches from.
        parent_run_id: Option<String> = "parentRunId",
        /// Shared state; absent differs from `null`.
        state: Option<Json> = "state" as Schema::NullIsAbsent,
        /// Messages so far.
        messages: Vec<Message> = "messages",
        /// Tools that the client offers.
        tools: Vec<Tool> = "tools" [may_be_missing],
        /// Context that the client gives to the agent.
        context: Vec<Context> = "context" [may_be_missing],
        /// Properties for the agent, not interpreted.
        forwarded_props: Option<Json> = "forwardedProps",
        /// Answers to open interrupts.
        resume: Option<Vec<ResumeEntry>> = "resume",
    }
}

typed_object! {
    /// Tool that the client offers.
    Tool {
        /// Name.
        name: String = "name",
        /// Description of the tool.
        description: String = "description",
        /// JSON schema of the arguments.
        parameters: Option<Json> = "parameters",
        /// Metadata with arbitrary keys.
        metadata: Option<JsonObject> = "metadata",
    }
}

typed_object! {
    /// Piece of context that the client gives to the agent.
    Context {
        /// Description of the value.
        description: String = "description",
        /// Value.
        value: String = "value",
    }
}

typed_object! {
    /// Answer to an interrupt.
    ResumeEntry {
        /// Id of the interrupt.
        interrupt_id: String = "interruptId",
        /// Answered or cancelled.
        status: ResumeStatus = "status",
        /// Answer.
        payload: Option<Json> = "payload",
        /// Metadata with arbitrary keys.
        metadata: Option<JsonObject> = "metadata",
    }
}

string_enum! {
    /// Kind of answer to an interrupt.
    ResumeStatus {
        /// Answered.
        Resolved = "resolved",
        /// Cancelled without an answer.
        Cancelled = "cancelled",
    }
}

typed_object! {
    /// Question that must be answered before the run can continue.
    Interrupt {
        /// Id.
        id: String = "id",
        /// Reason, an open set.
        reason: String = "reason",
        /// Message to display.
        message: Option<String> = "message",
        /// Id of the waiting tool call.
        tool_call_id: Option<String> = "toolCallId",
        /// JSON schema of the answer.
        response_schema: Option<JsonObject> = "responseSchema",
        /// Expiry; ISO 8601 by convention.
        expires_at: Option<String> = "expiresAt",
        /// Metadata with arbitrary keys.
        metadata: Option<JsonObject> = "metadata",
        /// Subagent that raised the interrupt.
        subagent_run_id: Option<String> = "subagentRunId",
    }
}

typed_object! {
    /// Token usage of one provider and model. Absent counts were not reported.
    TokenUsage {
        /// Provider of the model.
        provider: Option<String> = "provider",
        /// Name of the model.
        model: Option<String> = "model",
        /// All input tokens.
        input_tokens: Option<SafeCount> = "inputTokens",
        /// All output tokens.
        output_tokens: Option<SafeCount> = "outputTokens",
        /// Input and output together.
        total_tokens: Option<SafeCount> = "totalTokens",
        /// Part of the output spent on reasoning.
        reasoning_tokens: Option<SafeCount> = "reasoningTokens",
        /// Part of the input read from a cache.
        cached_input_tokens: Option<SafeCount> = "cachedInputTokens",
        /// Part of the input written to a cache.
        cache_write_input_tokens: Option<SafeCount> = "cacheWriteInputTokens",
    }
}

/// Sums token usage per provider and model, in the order of first appearance.
pub fn aggregate_usage(entries: &[TokenUsage]) -> Vec<TokenUsage> {
    let mut sums: Vec<TokenUsage> = Vec::new();
    let named = |entry: &TokenUsage| {
        let part = |text: &Option<String>| text.clone().unwrap_or_default();
        (part(&entry.provider), part(&entry.model))
    };
    for entry in entries {
        match sums.iter_mut().find(|sum| named(sum) == named(entry)) {
            Some(sum) => {
                for (mine, more) in [
                    (&mut sum.input_tokens, entry.input_tokens),
                    (&mut sum.output_tokens, entry.output_tokens),
                    (&mut sum.total_tokens, entry.total_tokens),
                    (&mut sum.reasoning_tokens, entry.reasoning_tokens),
                    (&mut sum.cached_input_tokens, entry.cached_input_tokens),
                    (
                        &mut sum.cache_write_input_tokens,
                        entry.cache_write_input_tokens,
                    ),
                ] {
                    if let Some(more) = more {
                        let so_far = mine.map_or(0, SafeCount::get);
                        *mine = SafeCount::new(so_far.saturating_add(more.get())).or(*mine);
                    }
                }
            }
            None => sums.push(entry.clone()),
        }
    }
    sums
}

/// Outcome of a run. An absent outcome means success.
#[derive(Debug, Clone, PartialEq)]
pub enum RunOutcome {
    /// Success.
    Success {
        /// Ids of calls that the client must answer.
        pending_tool_call_ids: Option<Vec<String>>,
    },
    /// Interrupted until all questions are answered; never empty.
    Interrupt {
        /// Questions to answer.
        interrupts: Vec<Interrupt>,
    },
    /// Cancelled on request.
    Cancelled,
}

impl RunOutcome {
    /// Returns the `type` in JSON.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Success { .. } => "success",
            Self::Interrupt { .. } => "interrupt",
            Self::Cancelled => "cancelled",
        }
    }
}

impl TypedJson for RunOutcome {
    const SCHEMA: Schema = Schema::Union(&SchemaUnion {
        tag: "type",
        open: false,
        arms: &[
            UnionArm {
                name: "success",
                fields: &[optional(
                    "pendingToolCallIds",
                    &Schema::Array(&Schema::Text),
                )],
            },
            UnionArm {
                name: "interrupt",
                fields: &[required(
                    "interrupts",
                    &Schema::NonEmpty(&Interrupt::SCHEMA),
                )],
            },
            UnionArm {
                name: "cancelled",
                fields: &[],
            },
        ],
    });

    fn read(reader: &mut TypedReader<'_>) -> Result<Self, NotTyped> {
        let mut kind = None::<Text>;
        let (mut pending, mut interrupts) = (None::<Vec<String>>, None::<Vec<Interrupt>>);
        reader.read_members(|reader, key| match key {
            "type" => read_member(&mut kind, reader),
            "pendingToolCallIds" => read_member(&mut pending, reader),
            "interrupts" => read_member(&mut interrupts, reader),
            _ => Err(NotTyped),
        })?;
        match (kind.as_deref().ok_or(NotTyped)?, pending, interrupts) {
            ("success", pending_tool_call_ids, None) => Ok(Self::Success {
                pending_tool_call_ids,
            }),
            ("interrupt", None, Some(interrupts)) if !interrupts.is_empty() => {
                Ok(Self::Interrupt { interrupts })
            }
            ("cancelled", None, None) => Ok(Self::Cancelled),
            _ => Err(NotTyped),
        }
    }

    fn write(&self, out: &mut String) {
        out.push_str("{\"type\":\"");
        out.push_str(self.kind());
        out.push('"');
        match self {
            Self::Success {
                pending_tool_call_ids,
            } => write_member("pendingToolCallIds", pending_tool_call_ids, out),
            Self::Interrupt { interrupts } => write_member("interrupts", interrupts, out),
            Self::Cancelled => {}
        }
        out.push('}');
    }
}

/// Outcome of a subagent. An absent outcome means success.
#[derive(Debug, Clone, PartialEq)]
pub enum SubagentOutcome {
    /// Success.
    Success,
    /// Suspended until interrupts are answered.
    Suspended {
        /// Ids of the interrupts.
        interrupt_ids: Option<Vec<String>>,
    },
}

impl TypedJson for SubagentOutcome {
    const SCHEMA: Schema = Schema::Union(&SchemaUnion {
        tag: "type",
        open: false,
        arms: &[
            UnionArm {
                name: "success",
                fields: &[],
            },
            UnionArm {
                name: "suspended",
                fields: &[optional("interruptIds", &Schema::Array(&Schema::Text))],
            },
        ],
    });

    fn read(reader: &mut TypedReader<'_>) -> Result<Self, NotTyped> {
        let (mut kind, mut interrupt_ids) = (None::<Text>, None::<Vec<String>>);
        reader.read_members(|reader, key| match key {
            "type" => read_member(&mut kind, reader),
            "interruptIds" => read_member(&mut interrupt_ids, reader),
            _ => Err(NotTyped),
        })?;
        match (kind.as_deref().ok_or(NotTyped)?, interrupt_ids) {
            ("success", None) => Ok(Self::Success),
            ("suspended", interrupt_ids) => Ok(Self::Suspended { interrupt_ids }),
            _ => Err(NotTyped),
        }
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Success => out.push_str("{\"type\":\"success\"}"),
            Self::Suspended { interrupt_ids } => {
                out.push_str("{\"type\":\"suspended\"");
                write_member("interruptIds", interrupt_ids, out);
                out.push('}');
            }
        }
    }
}
