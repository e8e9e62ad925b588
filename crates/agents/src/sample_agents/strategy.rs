//! `strategy`: a goal becomes a plan with a timeline that waits for approval.

use std::collections::BTreeMap;

use agui::EventStream;
use agui::model::RunAgentInput;
use canvas::SuggestedAction;
use canvas::components::{
    CalendarData, CalendarEvent, CellValue, EventTime, TableData, TimelineData, TimelineEvent,
};
use serde_json::json;

use super::answer_script::{AnswerScript, ChosenAction, action};
use super::{date_after, user_texts};

/// Name of the agent.
pub const STRATEGY: &str = "strategy";

/// Weeks of a plan unless the message or the person says otherwise.
const DEFAULT_WEEKS: i64 = 12;
/// Longest plan in weeks.
const MAX_WEEKS: i64 = 104;
/// Longest goal that is repeated, in characters.
const MAX_GOAL: usize = 120;

/// Phases of every plan: name, outcome, and share of the time in percent.
const PHASES: [(&str, &str, i64); 4] = [
    (
        "Understand",
        "Questions, numbers and limits are written down",
        20,
    ),
    ("Design", "One option is chosen and its cost is known", 25),
    ("Build", "The first version works for a few people", 40),
    (
        "Launch",
        "All people have it, and the result is measured",
        15,
    ),
];

/// Answers a message.
pub(super) fn answer(input: &RunAgentInput, now: i64) -> EventStream {
    let mut script = AnswerScript::new(STRATEGY, input, now);
    let goal = goal(input);
    match ChosenAction::of(input) {
        Some(chosen) if chosen.is_undone => {
            script.text("The approval is withdrawn. The plan is a suggestion again.");
        }
        Some(chosen) => answer_action(&mut script, &chosen, &goal, now),
        None => propose(
            &mut script,
            &goal,
            weeks_in(&goal).unwrap_or(DEFAULT_WEEKS),
            now,
        ),
    }
    script.finish()
}

/// Returns the goal: the last message of the person.
fn goal(input: &RunAgentInput) -> String {
    let text = user_texts(input).pop().unwrap_or_default();
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    let goal: String = line
        .unwrap_or("the next release")
        .chars()
        .take(MAX_GOAL)
        .collect();
    goal.trim_end_matches(['.', '?', '!']).to_owned()
}

/// Returns the number before the word "week" in a text.
fn weeks_in(text: &str) -> Option<i64> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let found = words
        .windows(2)
        .find(|pair| pair[1].to_lowercase().starts_with("week"))?;
    found[0]
        .parse()
        .ok()
        .filter(|weeks| (1..=MAX_WEEKS).contains(weeks))
}

/// Returns the first week of each phase, and the week after the last.
fn phase_weeks(weeks: i64) -> [i64; 5] {
    let mut starts = [0; 5];
    let mut share = 0;
    for (position, (_, _, percent)) in PHASES.iter().enumerate() {
        share += percent;
        starts[position + 1] = weeks * share / 100;
    }
    starts
}

fn propose(script: &mut AnswerScript, goal: &str, weeks: i64, now: i64) {
    script.steps(&[
        ("Read the goal", goal.to_owned()),
        ("Split the time", format!("{weeks} weeks in four phases")),
    ]);
    script.text(format!(
        "This is a plan for **{goal}**. It starts when you approve it."
    ));
    let starts = phase_weeks(weeks);
    let rows = PHASES
        .iter()
        .enumerate()
        .map(|(position, (name, outcome, _))| {
            #[allow(clippy::cast_precision_loss)]
            let length = (starts[position + 1] - starts[position]) as f64;
            vec![
                CellValue::from(*name),
                CellValue::from(*outcome),
                CellValue::Number(length),
            ]
        });
    script.ui(&TableData {
        title: "Plan".into(),
        description: Some(goal.into()),
        headers: ["Phase", "Outcome", "Weeks"].map(Into::into).into(),
        rows: rows.collect(),
        column_types: None,
        totals: None,
        sortable: None,
        filterable: None,
        pagination: None,
        on_page_action_id: None,
    });
    let events = PHASES
        .iter()
        .zip(starts)
        .map(|((name, outcome, _), start)| TimelineEvent {
            title: (*name).into(),
            timestamp: EventTime::Words(date_after(now, start * 7).into()),
            description: Some((*outcome).into()),
            icon: Some("flag".into()),
        });
    script.ui(&TimelineData {
        title: "Timeline".into(),
        description: None,
        events: events.collect(),
    });
    script.actions(decisions(weeks));
}

fn decisions(weeks: i64) -> Vec<SuggestedAction> {
    let schema = json!({"weeks": {
        "type": "integer", "minimum": 1, "maximum": MAX_WEEKS, "title": "Weeks"
    }});
    vec![
        SuggestedAction {
            icon: Some("check".into()),
            params: Some(BTreeMap::from([("weeks".to_owned(), json!(weeks))])),
            confirmation_required: Some(true),
            confirmation_message: Some(
                "The milestones will be put into a calendar. Approve the plan?".into(),
            ),
            undoable: Some(true),
            ..action("approve_plan", "Approve plan", "Start with the first phase")
        },
        SuggestedAction {
            icon: Some("pencil".into()),
            params: Some(BTreeMap::from([("weeks".to_owned(), json!(weeks))])),
            params_schema: Some(BTreeMap::from([
                ("type".to_owned(), json!("object")),
                ("properties".to_owned(), schema),
                ("required".to_owned(), json!(["weeks"])),
            ])),
            ..action(
                "change_length",
                "Change length",
                "Plan again with another number of weeks",
            )
        },
    ]
}

fn answer_action(script: &mut AnswerScript, chosen: &ChosenAction, goal: &str, now: i64) {
    let weeks = chosen.param("weeks").and_then(|weeks| weeks.parse().ok());
    let weeks = weeks.unwrap_or(DEFAULT_WEEKS).clamp(1, MAX_WEEKS);
    match chosen.id.as_str() {
        "change_length" => propose(script, goal, weeks, now),
        "approve_plan" => {
            script.text("The plan is approved. These are its milestones:");
            let starts = phase_weeks(weeks);
            let events = PHASES
                .iter()
                .enumerate()
                .map(|(position, (name, outcome, _))| CalendarEvent {
                    id: format!("phase-{}", position + 1).into(),
                    title: (*name).into(),
                    start: date_after(now, starts[position] * 7).into(),
                    end: Some(
                        date_after(
                            now,
                            (starts[position + 1] * 7 - 1).max(starts[position] * 7),
                        )
                        .into(),
                    ),
                    all_day: Some(true),
                    description: Some((*outcome).into()),
                    location: None,
                    color: None,
                    url: None,
                });
            script.ui(&CalendarData {
                title: "Milestones".into(),
                description: None,
                events: events.collect(),
            });
        }
        _ => script.error(
            "UNKNOWN_ACTION",
            format!("The action '{}' is not known.", chosen.id),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_fill_the_time() {
        assert_eq!(phase_weeks(20), [0, 4, 9, 17, 20]);
        assert_eq!(phase_weeks(1)[4], 1);
        assert_eq!(weeks_in("Launch in 8 weeks"), Some(8));
        assert_eq!(weeks_in("Launch in 9000 weeks"), None);
        assert_eq!(weeks_in("weeks"), None);
    }
}
