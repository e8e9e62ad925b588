//! What goes into a run and what comes out of it.

use crate::json::{Json, JsonObject, Text};
use crate::schema::{Arm, Schema, Union, optional, required};
use crate::typed::{Count, Reader, Typed, Unclean, fill, object, words, write_member};

use super::message::Message;

object! {
    /// A request to run an agent.
    RunAgentInput {
        /// The conversation.
        thread_id: String = "threadId",
        /// This run of it.
        run_id: String = "runId",
        /// The protocol the client speaks.
        protocol_version: Option<String> = "protocolVersion",
        /// The run this one branches from.
        parent_run_id: Option<String> = "parentRunId",
        /// The shared state; absent is not `null`.
        state: Option<Json> = "state" as Schema::NullIsAbsent,
        /// The conversation so far.
        messages: Vec<Message> = "messages",
        /// Tools that the client offers.
        tools: Vec<Tool> = "tools",
        /// What the client wants the agent to know.
        context: Vec<Context> = "context",
        /// For the agent's own use.
        forwarded_props: Option<Json> = "forwardedProps",
        /// Answers to open interrupts.
        resume: Option<Vec<ResumeEntry>> = "resume",
    }
}

object! {
    /// A tool that the client offers.
    Tool {
        /// Its name.
        name: String = "name",
        /// What it does.
        description: String = "description",
        /// A JSON schema of its arguments.
        parameters: Option<Json> = "parameters",
        /// Open by key.
        metadata: Option<JsonObject> = "metadata",
    }
}

object! {
    /// One thing the client wants the agent to know.
    Context {
        /// What it is.
        description: String = "description",
        /// The thing itself.
        value: String = "value",
    }
}

object! {
    /// The answer to an interrupt.
    ResumeEntry {
        /// Which interrupt.
        interrupt_id: String = "interruptId",
        /// Answered or given up.
        status: ResumeStatus = "status",
        /// The answer.
        payload: Option<Json> = "payload",
        /// Open by key.
        metadata: Option<JsonObject> = "metadata",
    }
}

words! {
    /// How an interrupt was answered.
    ResumeStatus {
        /// With an answer.
        Resolved = "resolved",
        /// Without.
        Cancelled = "cancelled",
    }
}

object! {
    /// Something that must be answered before the run can go on.
    Interrupt {
        /// Names it.
        id: String = "id",
        /// Why; an open set.
        reason: String = "reason",
        /// What to show.
        message: Option<String> = "message",
        /// The tool call that waits.
        tool_call_id: Option<String> = "toolCallId",
        /// A JSON schema of the answer.
        response_schema: Option<JsonObject> = "responseSchema",
        /// Until when it can be answered; ISO 8601 by convention.
        expires_at: Option<String> = "expiresAt",
        /// Open by key.
        metadata: Option<JsonObject> = "metadata",
        /// The subagent it comes from.
        subagent_run_id: Option<String> = "subagentRunId",
    }
}

object! {
    /// Tokens used with one provider and model. Absent counts were not reported.
    TokenUsage {
        /// Whose model.
        provider: Option<String> = "provider",
        /// Which model.
        model: Option<String> = "model",
        /// All input tokens.
        input_tokens: Option<Count> = "inputTokens",
        /// All output tokens.
        output_tokens: Option<Count> = "outputTokens",
        /// Input and output together.
        total_tokens: Option<Count> = "totalTokens",
        /// The part of the output spent on reasoning.
        reasoning_tokens: Option<Count> = "reasoningTokens",
        /// The part of the input read from a cache.
        cached_input_tokens: Option<Count> = "cachedInputTokens",
        /// The part of the input written to a cache.
        cache_write_input_tokens: Option<Count> = "cacheWriteInputTokens",
    }
}

/// Adds up usage per provider and model, in the order they first appear.
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
                        let so_far = mine.map_or(0, Count::get);
                        *mine = Count::new(so_far.saturating_add(more.get())).or(*mine);
                    }
                }
            }
            None => sums.push(entry.clone()),
        }
    }
    sums
}

/// How a run ended. No outcome at all means success.
#[derive(Debug, Clone, PartialEq)]
pub enum RunOutcome {
    /// Done.
    Success {
        /// Calls that the client must answer.
        pending_tool_call_ids: Option<Vec<String>>,
    },
    /// Waiting for answers; never empty.
    Interrupt {
        /// What must be answered.
        interrupts: Vec<Interrupt>,
    },
    /// Stopped on request.
    Cancelled,
}

impl RunOutcome {
    /// The word on the wire.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Success { .. } => "success",
            Self::Interrupt { .. } => "interrupt",
            Self::Cancelled => "cancelled",
        }
    }
}

impl Typed for RunOutcome {
    const SCHEMA: Schema = Schema::Union(&Union {
        tag: "type",
        open: false,
        arms: &[
            Arm {
                name: "success",
                fields: &[optional(
                    "pendingToolCallIds",
                    &Schema::Array(&Schema::Text),
                )],
            },
            Arm {
                name: "interrupt",
                fields: &[required(
                    "interrupts",
                    &Schema::NonEmpty(&Interrupt::SCHEMA),
                )],
            },
            Arm {
                name: "cancelled",
                fields: &[],
            },
        ],
    });

    fn read(reader: &mut Reader<'_>) -> Result<Self, Unclean> {
        let mut kind = None::<Text>;
        let (mut pending, mut interrupts) = (None::<Vec<String>>, None::<Vec<Interrupt>>);
        reader.members(|reader, key| match key {
            "type" => fill(&mut kind, reader),
            "pendingToolCallIds" => fill(&mut pending, reader),
            "interrupts" => fill(&mut interrupts, reader),
            _ => Err(Unclean),
        })?;
        match (kind.as_deref().ok_or(Unclean)?, pending, interrupts) {
            ("success", pending_tool_call_ids, None) => Ok(Self::Success {
                pending_tool_call_ids,
            }),
            ("interrupt", None, Some(interrupts)) if !interrupts.is_empty() => {
                Ok(Self::Interrupt { interrupts })
            }
            ("cancelled", None, None) => Ok(Self::Cancelled),
            _ => Err(Unclean),
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

/// How a subagent ended. No outcome at all means success.
#[derive(Debug, Clone, PartialEq)]
pub enum SubagentOutcome {
    /// Done.
    Success,
    /// Waiting for answers.
    Suspended {
        /// The interrupts it waits for.
        interrupt_ids: Option<Vec<String>>,
    },
}

impl Typed for SubagentOutcome {
    const SCHEMA: Schema = Schema::Union(&Union {
        tag: "type",
        open: false,
        arms: &[
            Arm {
                name: "success",
                fields: &[],
            },
            Arm {
                name: "suspended",
                fields: &[optional("interruptIds", &Schema::Array(&Schema::Text))],
            },
        ],
    });

    fn read(reader: &mut Reader<'_>) -> Result<Self, Unclean> {
        let (mut kind, mut interrupt_ids) = (None::<Text>, None::<Vec<String>>);
        reader.members(|reader, key| match key {
            "type" => fill(&mut kind, reader),
            "interruptIds" => fill(&mut interrupt_ids, reader),
            _ => Err(Unclean),
        })?;
        match (kind.as_deref().ok_or(Unclean)?, interrupt_ids) {
            ("success", None) => Ok(Self::Success),
            ("suspended", interrupt_ids) => Ok(Self::Suspended { interrupt_ids }),
            _ => Err(Unclean),
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
