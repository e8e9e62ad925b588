//! A surface as a tree of parts with their texts, which both writers walk.

use a2ui::{DataScope, Surface, SurfaceView};
use serde_json::Value;

/// Deepest part that is rendered.
pub const MAX_TREE_DEPTH: usize = 32;

/// Most parts that are rendered of one surface.
const MAX_PARTS: usize = 20_000;

/// A component with bindings resolved.
pub(crate) enum SurfacePart {
    /// Text with Markdown; the level of a heading, or 0.
    Text { text: String, level: u8 },
    /// Small text.
    Caption(String),
    /// Parts side by side.
    Row(Vec<SurfacePart>),
    /// Parts below each other.
    Column(Vec<SurfacePart>),
    /// Parts as items of a list.
    List(Vec<SurfacePart>),
    /// A framed part.
    Card(Vec<SurfacePart>),
    /// Titled parts: tabs, or the content of a dialog.
    Sections(Vec<(String, Vec<SurfacePart>)>),
    /// A line between parts.
    Divider,
    /// The label of a button.
    Button(String),
    /// A field with its label and value.
    Field { label: String, value: String },
    /// A choice that is made or not.
    Check { label: String, checked: bool },
    /// Choices of one question.
    Choices {
        label: String,
        options: Vec<(String, bool)>,
    },
    /// A picture, film or sound: its kind, description and address. It is named, not loaded.
    Media {
        kind: &'static str,
        description: String,
        address: String,
    },
    /// A remark of the renderer.
    Note(String),
}

/// The parts of a surface from its root.
pub(crate) fn surface_parts(surface: &Surface) -> Vec<SurfacePart> {
    let mut builder = TreeBuilder {
        view: SurfaceView::new(surface),
        remaining: MAX_PARTS,
    };
    if surface.components.contains_key("root") {
        builder.part("root", &DataScope::default(), 0)
    } else {
        vec![SurfacePart::Note(format!(
            "Surface {} has no content yet.",
            surface.id
        ))]
    }
}

struct TreeBuilder<'a> {
    view: SurfaceView<'a>,
    remaining: usize,
}

impl TreeBuilder<'_> {
    /// The parts of one component; none for a child that has not arrived.
    fn part(&mut self, id: &str, scope: &DataScope, depth: usize) -> Vec<SurfacePart> {
        let Some(component) = self.view.component(id) else {
            return Vec::new();
        };
        if depth == MAX_TREE_DEPTH {
            return vec![SurfacePart::Note("Deeper parts are not shown.".to_owned())];
        }
        if self.remaining == 0 {
            return Vec::new();
        }
        self.remaining -= 1;
        if self.remaining == 0 {
            return vec![SurfacePart::Note(format!(
                "Only the first {MAX_PARTS} parts are shown."
            ))];
        }
        vec![self.typed_part(component, scope, depth)]
    }

    fn typed_part(&mut self, component: &Value, scope: &DataScope, depth: usize) -> SurfacePart {
        let kind = component
            .get("component")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let text = |name: &str| self.view.text(component, name, scope);
        let media = |kind, description: &str| SurfacePart::Media {
            kind,
            description: text(description),
            address: text("url"),
        };
        match kind {
            "Text" => text_part(text("text"), &text("variant")),
            "Icon" => SurfacePart::Caption(format!("[{}]", text("name"))),
            "Image" => media("picture", "description"),
            "Video" => media("film", "description"),
            "AudioPlayer" => media("sound", "description"),
            "Divider" => SurfacePart::Divider,
            "TextField" => {
                let value = text("value");
                let hidden = component
                    .get("variant")
                    .is_some_and(|variant| variant == "obscured");
                let value = if hidden {
                    "•".repeat(value.chars().count())
                } else {
                    value
                };
                SurfacePart::Field {
                    label: text("label"),
                    value,
                }
            }
            "CheckBox" => {
                let checked = self.view.truth(component, "value", scope);
                SurfacePart::Check {
                    label: text("label"),
                    checked,
                }
            }
            "Slider" => {
                let label = text("label");
                let value = format!("{} of {}", text("value"), text("max"));
                SurfacePart::Field { label, value }
            }
            "DateTimeInput" => SurfacePart::Field {
                label: text("label"),
                value: text("value"),
            },
            "ChoicePicker" => self.choices(component, scope),
            "Button" => {
                let label = self.children(component, "child", scope, depth);
                SurfacePart::Button(label_of(&label))
            }
            "Row" => SurfacePart::Row(self.children(component, "children", scope, depth)),
            "List" => SurfacePart::List(self.children(component, "children", scope, depth)),
            "Card" => SurfacePart::Card(self.children(component, "child", scope, depth)),
            "Tabs" => self.tabs(component, scope, depth),
            "Modal" => {
                let title = label_of(&self.children(component, "trigger", scope, depth));
                let content = self.children(component, "content", scope, depth);
                SurfacePart::Sections(vec![(title, content)])
            }
            // Column, and components of other catalogs that have children.
            _ => SurfacePart::Column(self.children(component, "children", scope, depth)),
        }
    }

    fn children(
        &mut self,
        component: &Value,
        name: &str,
        scope: &DataScope,
        depth: usize,
    ) -> Vec<SurfacePart> {
        let children = self.view.children(component, name, scope);
        children
            .iter()
            .flat_map(|(id, scope)| self.part(id, scope, depth + 1))
            .collect()
    }

    fn tabs(&mut self, component: &Value, scope: &DataScope, depth: usize) -> SurfacePart {
        let tabs = component
            .get("tabs")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        let section = |tab: &Value| {
            let title = self.view.text(tab, "title", scope);
            (title, self.children(tab, "child", scope, depth))
        };
        SurfacePart::Sections(tabs.map(section).collect())
    }

    fn choices(&self, component: &Value, scope: &DataScope) -> SurfacePart {
        let chosen = self.view.property(component, "value", scope);
        let options = component
            .get("options")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        let option = |option: &Value| {
            let value = option.get("value").unwrap_or(&Value::Null);
            let is_chosen = match &chosen {
                Value::Array(chosen) => chosen.contains(value),
                single => single == value,
            };
            (self.view.text(option, "label", scope), is_chosen)
        };
        let label = self.view.text(component, "label", scope);
        SurfacePart::Choices {
            label,
            options: options.map(option).collect(),
        }
    }
}

fn text_part(text: String, variant: &str) -> SurfacePart {
    match variant {
        "caption" => SurfacePart::Caption(text),
        "h1" | "h2" | "h3" | "h4" | "h5" => {
            let level = variant.as_bytes()[1] - b'0';
            SurfacePart::Text { text, level }
        }
        _ => SurfacePart::Text { text, level: 0 },
    }
}

/// The words of parts that are used as a label.
fn label_of(parts: &[SurfacePart]) -> String {
    let words = parts.iter().map(|part| match part {
        SurfacePart::Text { text, .. } | SurfacePart::Caption(text) | SurfacePart::Button(text) => {
            text.clone()
        }
        SurfacePart::Row(parts) | SurfacePart::Column(parts) | SurfacePart::Card(parts) => {
            label_of(parts)
        }
        SurfacePart::Media { description, .. } => description.clone(),
        _ => String::new(),
    });
    words
        .filter(|words| !words.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// The text of a medium: its description or its address.
pub(crate) fn media_text(kind: &str, description: &str, address: &str) -> String {
    let name = if description.is_empty() {
        address
    } else {
        description
    };
    format!("[{kind}: {name}]")
}
