//! Sample agents: they show what the canvas can do, without a model and without a network.
//!
//! `intelligence` turns a CSV into metrics, charts and insights; `strategy` proposes a plan with a timeline and waits
//! for approval; `marketing` shows a preview, a form and a board. If a model is configured, the same agents are model
//! agents with the [canvas tools](crate::canvas_tools).

mod answer_script;
mod csv_table;
mod intelligence;
mod marketing;
mod statistics;
mod strategy;

use std::fmt;
use std::sync::Arc;

use agui::EventStream;
use agui::model::{Role, RunAgentInput};
use jiff::Timestamp;
use jiff::tz::TimeZone;

pub use intelligence::INTELLIGENCE;
pub use marketing::MARKETING;
pub use strategy::STRATEGY;

use crate::canvas_tools::canvas_tools;
use crate::model::ModelChain;
use crate::run_host::RunHost;
use crate::tool_loop::{ModelAgent, RunLimits, text_of};

/// Sample agent.
#[derive(Clone)]
pub struct SampleAgent {
    answer: fn(&RunAgentInput, i64) -> EventStream,
    host: Arc<dyn RunHost>,
    /// Model agent that answers instead.
    model: Option<ModelAgent>,
}

impl fmt::Debug for SampleAgent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SampleAgent({:?})", self.model)
    }
}

/// Function that answers without a model, at a time in milliseconds since 1970.
type AnswerFunction = fn(&RunAgentInput, i64) -> EventStream;

/// Sample agents: name, instructions for a model, and the answer without one.
const AGENTS: [(&str, &str, AnswerFunction); 3] = [
    (
        INTELLIGENCE,
        "You analyse tables. Show metrics as a card, numbers as charts and tables, and findings as a list with \
         send_ui. Offer further steps with send_actions. Say in one or two sentences what matters.",
        intelligence::answer,
    ),
    (
        STRATEGY,
        "You plan. Show the plan as a table and its dates as a timeline with send_ui, then ask for approval with \
         send_actions and confirmationRequired. Nothing starts before the person approves.",
        strategy::answer,
    ),
    (
        MARKETING,
        "You prepare campaigns. Show content as a card with buttons, the campaign as a form and the work as a board \
         with send_ui. Nothing is published before the person decides.",
        marketing::answer,
    ),
];

impl SampleAgent {
    /// Returns all sample agents by name. With models they are model agents.
    pub fn all(
        host: &Arc<dyn RunHost>,
        models: Option<&ModelChain>,
        limits: RunLimits,
    ) -> Vec<(&'static str, Self)> {
        let agents = AGENTS.iter().map(|(name, instructions, answer)| {
            let model = models.map(|models| {
                let tools = canvas_tools(name).into_iter();
                let builder = ModelAgent::builder(models.clone(), Arc::clone(host))
                    .system(*instructions)
                    .limits(limits);
                tools
                    .fold(builder, |builder, tool| builder.tool(tool))
                    .build()
            });
            let agent = Self {
                answer: *answer,
                host: Arc::clone(host),
                model,
            };
            (*name, agent)
        });
        agents.collect()
    }
}

impl agui::Agent for SampleAgent {
    fn run(&self, input: RunAgentInput) -> EventStream {
        match &self.model {
            Some(model) => agui::Agent::run(model, input),
            None => (self.answer)(&input, i64::try_from(self.host.now()).unwrap_or(i64::MAX)),
        }
    }
}

/// Returns the texts of the person's messages, the oldest first.
fn user_texts(input: &RunAgentInput) -> Vec<String> {
    let messages = input
        .messages
        .iter()
        .filter(|message| message.role == Role::User);
    messages.map(|message| text_of(&message.content)).collect()
}

/// Returns the date some days after a time in milliseconds since 1970, in UTC.
fn date_after(now: i64, days: i64) -> String {
    let at = Timestamp::from_millisecond(now.saturating_add(days.saturating_mul(86_400_000)));
    at.unwrap_or_default()
        .to_zoned(TimeZone::UTC)
        .date()
        .to_string()
}

#[cfg(test)]
mod tests;
