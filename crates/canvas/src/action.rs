//! Actions: offers in messages, the check of a person's choice, and the states of an execution.

use json::{Map, Value};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::components::text;
use crate::error::InvalidMessage;
use crate::form_values::{FormRules, check_form};
use crate::message::{CanvasMessage, MessageKind};
use crate::schema::{Checker, Shape};

/// State of an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ActionState {
    /// Offered by the agent.
    Suggested,
    /// Confirmed by the person.
    Confirmed,
    /// Being executed by the agent.
    Running,
    /// Executed.
    Done,
    /// Not executed, with an error.
    Failed,
    /// No longer possible.
    Expired,
    /// Reversed by the agent.
    Undone,
}

impl ActionState {
    /// Returns true if an execution can change into another state.
    pub fn can_become(self, next: Self) -> bool {
        use ActionState::{Confirmed, Done, Expired, Failed, Running, Suggested, Undone};
        matches!(
            (self, next),
            (Suggested, Confirmed | Running | Expired)
                | (Confirmed, Running | Expired)
                | (Running, Done | Failed | Expired)
                | (Done, Undone)
        )
    }

    /// Returns the name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Suggested => "suggested",
            Self::Confirmed => "confirmed",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Expired => "expired",
            Self::Undone => "undone",
        }
    }

    /// Returns the state of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        use ActionState::{Confirmed, Done, Expired, Failed, Running, Suggested, Undone};
        [Suggested, Confirmed, Running, Done, Failed, Expired, Undone]
            .into_iter()
            .find(|state| state.as_str() == name)
    }
}

/// Action that a message offers.
#[derive(Debug, Clone, PartialEq)]
pub struct OfferedAction {
    /// Id.
    pub id: String,
    /// Text of the button.
    pub label: String,
    /// Parameters that the agent suggests.
    pub params: Map,
    /// Question to confirm.
    pub confirmation_message: Option<String>,
    /// True if the person has to confirm.
    pub needs_confirmation: bool,
    /// Time after which it can no longer be chosen, in milliseconds since 1970.
    pub expires_at: Option<i64>,
    /// True if the agent can undo it.
    pub is_undoable: bool,
    /// Rules of the parameters.
    rules: ParameterRules,
}

/// Rules of the parameters of an action.
#[derive(Debug, Clone, PartialEq)]
enum ParameterRules {
    /// Any parameters.
    Open,
    /// Only those that the agent suggested: the person cannot edit them.
    Fixed,
    /// Parameters of a JSON Schema.
    Schema(Box<Shape>),
    /// Values of a form's fields.
    Form(FormRules),
}

/// Choice of a person.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ActionRequest {
    /// Parameters as edited by the person; `None` takes those that the agent suggested.
    pub params: Option<Value>,
    /// True if the person confirmed.
    pub is_confirmed: bool,
}

/// Refusal of a choice.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ActionError {
    /// The action must be confirmed first.
    #[error("The action '{label}' must be confirmed: {question}")]
    ConfirmationRequired {
        /// Text of the button.
        label: String,
        /// Question to ask.
        question: String,
    },
    /// The action can no longer be chosen.
    #[error("The action has expired.")]
    Expired,
    /// The parameters do not match their rules.
    #[error(transparent)]
    Invalid(#[from] InvalidMessage),
}

/// Finds an action that a message offers: a suggestion, a button of a card, the submission of a form, a page of a table
/// or a move on a board.
pub fn find_action(message: &CanvasMessage, id: &str) -> Option<OfferedAction> {
    if message.kind == MessageKind::Action {
        let actions = message.payload.get("actions")?.as_array()?;
        return actions
            .iter()
            .find(|action| text(action, "id") == id)
            .map(suggestion);
    }
    let data = message.payload.get("data")?;
    let offered = |label: &str, rules: ParameterRules| OfferedAction {
        id: id.to_owned(),
        label: label.to_owned(),
        params: Map::new(),
        confirmation_message: None,
        needs_confirmation: false,
        expires_at: None,
        is_undoable: false,
        rules,
    };
    match message.component()? {
        "card" => {
            let actions = data.get("actions")?.as_array()?;
            let action = actions
                .iter()
                .find(|action| text(action, "actionId") == id)?;
            Some(OfferedAction {
                needs_confirmation: text(action, "variant") == "destructive",
                ..offered(text(action, "label"), ParameterRules::Open)
            })
        }
        "form" if text(data, "onSubmitActionId") == id => {
            let label = Some(text(data, "submitLabel")).filter(|label| !label.is_empty());
            Some(offered(
                label.unwrap_or("Submit"),
                ParameterRules::Form(FormRules::of(data)),
            ))
        }
        "table" if text(data, "onPageActionId") == id => {
            Some(offered("Show page", ParameterRules::Open))
        }
        "kanban" if text(data, "onMoveActionId") == id => {
            Some(offered("Move card", ParameterRules::Open))
        }
        _ => None,
    }
}

fn suggestion(action: &Value) -> OfferedAction {
    let flag = |name: &str| action.get(name) == Some(&Value::Bool(true));
    let question = Some(text(action, "confirmationMessage")).filter(|text| !text.is_empty());
    let schema = action
        .get("paramsSchema")
        .and_then(|schema| serde_json::from_str(&schema.to_json()).ok());
    OfferedAction {
        id: text(action, "id").to_owned(),
        label: text(action, "label").to_owned(),
        params: action
            .get("params")
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default(),
        confirmation_message: question.map(str::to_owned),
        needs_confirmation: flag("confirmationRequired") || flag("destructive"),
        expires_at: match action.get("expiresAt") {
            Some(Value::Number(number)) => number.as_safe_int(),
            _ => None,
        },
        is_undoable: flag("undoable"),
        rules: match schema {
            Some(schema) => ParameterRules::Schema(Box::new(Shape::compile(&schema))),
            None => ParameterRules::Fixed,
        },
    }
}

impl OfferedAction {
    /// Checks a choice at a time in milliseconds since 1970. Returns the parameters to execute with.
    pub fn accept(&self, request: &ActionRequest, now: i64) -> Result<Value, ActionError> {
        if self.expires_at.is_some_and(|expiry| now > expiry) {
            return Err(ActionError::Expired);
        }
        let params = self.checked_params(request)?;
        if self.needs_confirmation && !request.is_confirmed {
            let question = self.confirmation_message.clone();
            return Err(ActionError::ConfirmationRequired {
                label: self.label.clone(),
                question: question
                    .unwrap_or_else(|| "Repeat the request with \"confirmed\": true.".to_owned()),
            });
        }
        Ok(params)
    }

    fn checked_params(&self, request: &ActionRequest) -> Result<Value, InvalidMessage> {
        let suggested = Value::Object(self.params.clone());
        let Some(mut params) = request.params.clone() else {
            return match &self.rules {
                ParameterRules::Form(rules) => check_form(rules, &Value::Object(Map::new())),
                _ => Ok(suggested),
            };
        };
        if !matches!(params, Value::Object(_)) {
            return Err(InvalidMessage::new(
                "/params",
                "wrong_type",
                "Parameters are an object.",
                Some("an object"),
            ));
        }
        match &self.rules {
            ParameterRules::Open => Ok(params),
            ParameterRules::Fixed if params == suggested => Ok(params),
            ParameterRules::Fixed => Err(InvalidMessage::new(
                "/params",
                "not_allowed",
                "The parameters of this action cannot be edited: it has no paramsSchema.",
                Some(&suggested.to_json()),
            )),
            ParameterRules::Schema(shape) => {
                let mut checker = Checker::default();
                checker.within("params", |checker| checker.check(shape, &mut params));
                match checker.is_valid() {
                    true => Ok(params),
                    false => Err(InvalidMessage {
                        errors: checker.errors,
                    }),
                }
            }
            ParameterRules::Form(rules) => check_form(rules, &params),
        }
    }
}
