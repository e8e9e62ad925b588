//! Answer of a sample agent: messages of the canvas as the events of a run.

use std::collections::VecDeque;

use agui::event::{ActivityDelta, RunFinished, RunStarted};
use agui::model::RunAgentInput;
use agui::{Event, EventStream};
use canvas::components::ComponentData;
use canvas::{
    ActionPayload, CanvasMessage, ComponentLayout, ErrorPayload, ReasoningPayload, ReasoningStep,
    SuggestedAction, TextPayload,
};
use json::patch::PatchOperation;
use json::{Text, Value};

/// Answer that is being written.
pub(super) struct AnswerScript {
    agent: &'static str,
    thread_id: String,
    run_id: String,
    now: i64,
    events: Vec<Event>,
    messages: usize,
}

impl AnswerScript {
    /// Begins the answer of an agent at a time in milliseconds since 1970.
    pub(super) fn new(agent: &'static str, input: &RunAgentInput, now: i64) -> Self {
        Self {
            agent,
            thread_id: input.thread_id.clone(),
            run_id: input.run_id.clone(),
            now,
            events: vec![Event::from(RunStarted {
                thread_id: Text::from(input.thread_id.as_str()),
                run_id: Text::from(input.run_id.as_str()),
                protocol_version: None,
                parent_run_id: None,
                input: None,
            })],
            messages: 0,
        }
    }

    /// Adds a message. Its id is derived from the run, so that a repeated run has the same ids.
    fn send(&mut self, message: &CanvasMessage) {
        self.messages += 1;
        let id = format!("{}-{}", self.run_id, self.messages);
        let envelope = message.to_envelope(&id, &self.thread_id, self.now);
        self.events
            .extend(canvas::to_events(message, &id, &envelope));
    }

    /// Says something.
    pub(super) fn text(&mut self, text: impl Into<String>) {
        let payload = TextPayload {
            text: text.into().into(),
            sentiment: None,
            formatting: None,
        };
        self.send(&CanvasMessage::text(self.agent, &payload));
    }

    /// Shows a component.
    pub(super) fn ui<T: ComponentData>(&mut self, data: &T) {
        self.send(&CanvasMessage::ui(self.agent, data, None));
    }

    /// Shows a component with a size and a position.
    pub(super) fn placed_ui<T: ComponentData>(&mut self, data: &T, layout: &ComponentLayout) {
        self.send(&CanvasMessage::ui(self.agent, data, Some(layout)));
    }

    /// Suggests actions.
    pub(super) fn actions(&mut self, actions: Vec<SuggestedAction>) {
        let payload = ActionPayload { actions };
        self.send(&CanvasMessage::actions(self.agent, &payload));
    }

    /// Shows the steps that led to the answer, all of them done.
    pub(super) fn steps(&mut self, steps: &[(&str, String)]) {
        let steps = steps.iter().zip(1..).map(|((title, description), step)| {
            let description = description.as_str().into();
            ReasoningStep {
                step,
                title: (*title).into(),
                description,
                completed: true,
                result: None,
            }
        });
        let payload = ReasoningPayload {
            steps: steps.collect(),
            current_step: None,
            streaming: None,
        };
        self.send(&CanvasMessage::reasoning(self.agent, &payload));
    }

    /// Reports an error.
    pub(super) fn error(&mut self, code: &str, message: impl Into<String>) {
        let payload = ErrorPayload {
            message: message.into().into(),
            code: Some(code.into()),
            recoverable: Some(true),
            retryable: Some(false),
            details: None,
        };
        self.send(&CanvasMessage::error(self.agent, &payload));
    }

    /// Updates a component that was sent before.
    pub(super) fn update(&mut self, message_id: &str, patch: Vec<PatchOperation>) {
        self.events.push(Event::from(ActivityDelta {
            message_id: Text::from(message_id),
            activity_type: Text::from("pincite.ui"),
            patch,
        }));
    }

    /// Ends the answer.
    pub(super) fn finish(mut self) -> EventStream {
        self.events.push(Event::from(RunFinished {
            thread_id: Text::from(self.thread_id.as_str()),
            run_id: Text::from(self.run_id.as_str()),
            result: None,
            outcome: None,
            usage: None,
        }));
        EventStream::of(VecDeque::from(self.events))
    }
}

/// Action that a person chose, as a run receives it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ChosenAction {
    /// Message that offered it.
    pub(super) message_id: String,
    pub(super) id: String,
    pub(super) params: Value,
    /// True if the person undoes it.
    pub(super) is_undone: bool,
}

impl ChosenAction {
    /// Reads the action in `forwardedProps.pinciteAction`.
    pub(super) fn of(input: &RunAgentInput) -> Option<Self> {
        let props = input.forwarded_props.as_ref()?.value();
        let action = props.get("pinciteAction")?;
        let text = |name: &str| Some(action.get(name)?.as_str()?.to_owned());
        Some(Self {
            message_id: text("messageId")?,
            id: text("actionId")?,
            params: action.get("params").cloned().unwrap_or_default(),
            is_undone: text("state").as_deref() == Some("undone"),
        })
    }

    /// Returns a parameter as text.
    pub(super) fn param(&self, name: &str) -> Option<String> {
        match self.params.get(name)? {
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_json()),
        }
    }
}

/// Returns an action without confirmation and parameters.
pub(super) fn action(id: &str, label: &str, description: &str) -> SuggestedAction {
    SuggestedAction {
        id: id.into(),
        label: label.into(),
        description: Some(description.into()),
        icon: None,
        params: None,
        params_schema: None,
        confirmation_required: None,
        confirmation_message: None,
        destructive: None,
        expires_at: None,
        undoable: None,
    }
}
