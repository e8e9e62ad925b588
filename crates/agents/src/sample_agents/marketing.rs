//! `marketing`: preview of content, form of a campaign, and its board.

use agui::EventStream;
use agui::model::{Content, RunAgentInput};
use canvas::components::{
    ButtonVariant, CardAction, CardData, CardPriority, ComparisonOperator, EventTime, FieldKind,
    FormCheck, FormData, FormFieldData, KanbanCard, KanbanColumn, KanbanData, TimelineData,
    TimelineEvent,
};
use json::Value;
use json::patch::PatchOperation;
use serde_json::json;

use super::answer_script::{AnswerScript, ChosenAction};
use super::{date_after, user_texts};

/// Name of the agent.
pub const MARKETING: &str = "marketing";

/// Longest subject that is repeated, in characters.
const MAX_SUBJECT: usize = 80;

/// Answers a message.
pub(super) fn answer(input: &RunAgentInput, now: i64) -> EventStream {
    let mut script = AnswerScript::new(MARKETING, input, now);
    let subject = subject(input);
    match ChosenAction::of(input) {
        Some(chosen) => answer_action(&mut script, &chosen, input, &subject),
        None => prepare(&mut script, &subject, now),
    }
    script.finish()
}

fn subject(input: &RunAgentInput) -> String {
    let text = user_texts(input).pop().unwrap_or_default();
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    let subject: String = line
        .unwrap_or("our spring offer")
        .chars()
        .take(MAX_SUBJECT)
        .collect();
    subject.trim_end_matches(['.', '?', '!']).to_owned()
}

fn prepare(script: &mut AnswerScript, subject: &str, now: i64) {
    script.text(format!(
        "I have prepared a campaign about **{subject}**. Nothing is published until you decide."
    ));
    script.ui(&preview(subject));
    script.ui(&campaign_form(now));
    script.ui(&board());
}

fn preview(subject: &str) -> CardData {
    let button = |label: &str, id: &str, variant| CardAction {
        label: label.into(),
        action_id: id.into(),
        variant: Some(variant),
    };
    CardData {
        title: "Preview of the first post".into(),
        description: Some("For social channels, 40 words".into()),
        content: format!(
            "**{subject}**\n\nYou asked for less work and more time. We listened. From this month everything is in \
             one place, and the first week is free. Tell us what you would do with an hour more each day."
        )
        .into(),
        footer: Some("Draft 1".into()),
        actions: Some(vec![
            button("Publish", "publish_post", ButtonVariant::Default),
            button("Discard", "discard_post", ButtonVariant::Destructive),
        ]),
    }
}

fn campaign_form(now: i64) -> FormData {
    let field = |name: &str, label: &str, kind| FormFieldData {
        name: name.into(),
        label: label.into(),
        kind,
        required: Some(true),
        options: None,
        default_value: None,
        validation: None,
        placeholder: None,
        help: None,
    };
    FormData {
        title: "New campaign".into(),
        description: None,
        fields: vec![
            FormFieldData {
                validation: Some(json!({"minLength": 3, "maxLength": 80})),
                ..field("name", "Name", FieldKind::Text)
            },
            FormFieldData {
                options: Some(["Email", "Social", "Search"].map(Into::into).into()),
                ..field("channel", "Channel", FieldKind::Select)
            },
            FormFieldData {
                validation: Some(json!({"min": 100, "max": 100_000})),
                default_value: Some(json!(1000)),
                help: Some("In euro, from 100 to 100,000".into()),
                ..field("budget", "Budget", FieldKind::Number)
            },
            FormFieldData {
                default_value: Some(date_after(now, 7).into()),
                ..field("start", "Start", FieldKind::Date)
            },
            FormFieldData {
                default_value: Some(date_after(now, 35).into()),
                ..field("end", "End", FieldKind::Date)
            },
            FormFieldData {
                required: None,
                ..field("newsletter", "Also in the newsletter", FieldKind::Checkbox)
            },
        ],
        submit_label: Some("Create campaign".into()),
        on_submit_action_id: "create_campaign".into(),
        checks: Some(vec![FormCheck {
            field: "end".into(),
            operator: ComparisonOperator::Ge,
            other: "start".into(),
            message: "The campaign ends before it starts.".into(),
        }]),
    }
}

fn board() -> KanbanData {
    let card = |id: &str, title: &str, priority| KanbanCard {
        id: id.into(),
        title: title.into(),
        description: None,
        assignee: None,
        labels: None,
        priority,
        column_id: None,
    };
    let column = |id: &str, title: &str, limit, cards| KanbanColumn {
        id: id.into(),
        title: title.into(),
        cards,
        limit,
        color: None,
    };
    KanbanData {
        title: Some("Campaign board".into()),
        description: None,
        columns: vec![
            column(
                "todo",
                "To do",
                None,
                vec![
                    card("brief", "Write the brief", Some(CardPriority::High)),
                    card("images", "Choose images", None),
                    card("landing", "Check the landing page", None),
                ],
            ),
            column(
                "doing",
                "Doing",
                Some(2),
                vec![card("copy", "Write the copy", None)],
            ),
            column("done", "Done", None, Vec::new()),
        ],
        on_move_action_id: Some("move_card".into()),
    }
}

fn answer_action(
    script: &mut AnswerScript,
    chosen: &ChosenAction,
    input: &RunAgentInput,
    subject: &str,
) {
    match chosen.id.as_str() {
        "publish_post" => script.text(format!("The post about **{subject}** is published.")),
        "discard_post" => script.text("The draft is discarded."),
        "create_campaign" => create_campaign(script, chosen),
        "move_card" => match move_patch(input, chosen) {
            Some(patch) => script.update(&chosen.message_id, patch),
            None => script.error("UNKNOWN_CARD", "The card is no longer on the board."),
        },
        _ => script.error(
            "UNKNOWN_ACTION",
            format!("The action '{}' is not known.", chosen.id),
        ),
    }
}

fn create_campaign(script: &mut AnswerScript, chosen: &ChosenAction) {
    let value = |name: &str| chosen.param(name).unwrap_or_default();
    let (name, channel, budget) = (value("name"), value("channel"), value("budget"));
    script.text(format!(
        "The campaign **{name}** is created: {channel}, {budget} euro."
    ));
    let event = |title: &str, at: String| TimelineEvent {
        title: title.into(),
        timestamp: EventTime::Words(at.into()),
        description: None,
        icon: None,
    };
    script.ui(&TimelineData {
        title: name.into(),
        description: None,
        events: vec![event("Start", value("start")), event("End", value("end"))],
    });
}

/// Returns the patch that moves a card on the board that the conversation shows.
fn move_patch(input: &RunAgentInput, chosen: &ChosenAction) -> Option<Vec<PatchOperation>> {
    let message = input
        .messages
        .iter()
        .find(|message| message.id == chosen.message_id)?;
    let Content::Activity(content) = &message.content else {
        return None;
    };
    let content = content.value();
    let columns = content.get("data")?.get("columns")?.as_array()?;
    let card_id = chosen.param("cardId")?;
    let id_is = |item: &Value, id: &str| item.get("id").and_then(Value::as_str) == Some(id);
    let (from, position) = columns.iter().enumerate().find_map(|(index, column)| {
        let cards = column.get("cards")?.as_array()?;
        let position = cards.iter().position(|card| id_is(card, &card_id))?;
        Some((index, position))
    })?;
    let target = chosen.param("toColumnId")?;
    let to = columns.iter().position(|column| id_is(column, &target))?;
    let length = columns[to].get("cards")?.as_array()?.len() - usize::from(from == to);
    let place: usize = chosen.param("position")?.parse().ok()?;
    Some(vec![PatchOperation::move_(
        format!("/data/columns/{from}/cards/{position}"),
        format!("/data/columns/{to}/cards/{}", place.min(length)),
    )])
}
