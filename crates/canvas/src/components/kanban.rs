//! Kanban board.

use std::collections::HashSet;

use json::Value;
use schemars::JsonSchema;
use serde::Serialize;

use super::{ComponentData, ComponentRules, check_unique, items, text, titled};
use crate::schema::{CanvasId, Checker, CssColor, LabelText, LinkUrl, ProseText};

/// Data of a board.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KanbanData {
    /// Title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<LabelText>,
    /// Description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<ProseText>,
    /// Columns from left to right.
    #[schemars(length(max = 50))]
    pub columns: Vec<KanbanColumn>,
    /// Action that a move of a card executes. Its parameters are `cardId`, `fromColumnId`, `toColumnId` and `position`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_move_action_id: Option<CanvasId>,
}

/// Column of a board.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KanbanColumn {
    /// Id, unique in the board.
    pub id: CanvasId,
    /// Title.
    pub title: LabelText,
    /// Cards from top to bottom.
    #[schemars(length(max = 1_000))]
    pub cards: Vec<KanbanCard>,
    /// Largest number of cards that people may move here.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub limit: Option<u32>,
    /// Colour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<CssColor>,
}

/// Card of a board.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KanbanCard {
    /// Id, unique in the board.
    pub id: CanvasId,
    /// Title.
    pub title: LabelText,
    /// Description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<ProseText>,
    /// Responsible person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<KanbanAssignee>,
    /// Labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 20))]
    pub labels: Option<Vec<KanbanLabel>>,
    /// Priority.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<CardPriority>,
    /// Id of the column; if present, that of the column that contains the card.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column_id: Option<CanvasId>,
}

/// Person who is responsible for a card.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KanbanAssignee {
    /// Id.
    pub id: CanvasId,
    /// Name.
    pub name: LabelText,
    /// Address of a picture. It is loaded only with consent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub avatar: Option<LinkUrl>,
}

/// Label of a card.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum KanbanLabel {
    /// Text.
    Text(LabelText),
    /// Text with a colour.
    #[serde(rename_all = "camelCase")]
    Colored {
        /// Text.
        name: LabelText,
        /// Id.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<CanvasId>,
        /// Colour.
        #[serde(skip_serializing_if = "Option::is_none")]
        color: Option<CssColor>,
    },
}

/// Priority of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CardPriority {
    /// Low.
    Low,
    /// Medium.
    Medium,
    /// High.
    High,
}

impl ComponentData for KanbanData {
    const NAME: &'static str = "kanban";
    const SUMMARY: &'static str =
        "Board with columns of cards that people can move. Ids of columns and of cards are unique.";

    fn example() -> Self {
        let column = |id: &str, title: &str, cards: Vec<KanbanCard>| KanbanColumn {
            id: id.into(),
            title: title.into(),
            cards,
            limit: None,
            color: None,
        };
        let card = KanbanCard {
            id: "brief".into(),
            title: "Write the brief".into(),
            description: None,
            assignee: None,
            labels: Some(vec![KanbanLabel::Text("content".into())]),
            priority: Some(CardPriority::High),
            column_id: None,
        };
        Self {
            title: Some("Campaign".into()),
            description: None,
            columns: vec![
                column("todo", "To do", vec![card]),
                column("done", "Done", Vec::new()),
            ],
            on_move_action_id: Some("move_card".into()),
        }
    }
}

impl ComponentRules for KanbanData {
    fn check(data: &mut Value, checker: &mut Checker<'_>) {
        let columns = items(data, "columns");
        check_unique(checker, "columns", columns, "id");
        let mut known = HashSet::new();
        for (column_index, column) in columns.iter().enumerate() {
            for (index, card) in items(column, "cards").iter().enumerate() {
                let mut report = |member: &'static str, code, message: &str, expected: &str| {
                    checker.within("columns", |checker| {
                        checker.at(column_index, |checker| {
                            checker.within("cards", |checker| {
                                checker.at(index, |checker| {
                                    checker.within(member, |checker| {
                                        checker.expect(code, message, expected);
                                    });
                                });
                            });
                        });
                    });
                };
                if !known.insert(text(card, "id")) {
                    report(
                        "id",
                        "duplicate_id",
                        "The id is used by another card.",
                        "an id that is unique in the board",
                    );
                }
                if card.get("columnId").is_some() && text(card, "columnId") != text(column, "id") {
                    report(
                        "columnId",
                        "unknown_reference",
                        "The card is in another column.",
                        text(column, "id"),
                    );
                }
            }
        }
    }

    fn text(data: &Value) -> String {
        let lines = items(data, "columns").iter().flat_map(|column| {
            let cards = items(column, "cards")
                .iter()
                .map(|card| format!("- {}", text(card, "title")));
            std::iter::once(format!("{}:", text(column, "title"))).chain(cards)
        });
        titled(data, lines)
    }
}
