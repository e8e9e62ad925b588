//! Context that the frontend sends with a run: the selected work and the role of the user.

use agui::model::RunAgentInput;

/// Selected work and role that the frontend shares.
#[derive(Debug, Default)]
pub(super) struct FrontendContext {
    pub(super) selected_work: Option<String>,
    pub(super) is_artist: bool,
}

impl FrontendContext {
    /// Reads the context that the frontend sends with a run, recognised by its descriptions.
    pub(super) fn of(input: &RunAgentInput) -> Self {
        let mut found = Self::default();
        for entry in &input.context {
            let description = entry.description.to_lowercase();
            if description.contains("user role") {
                found.is_artist = entry.value.trim_matches('"').eq_ignore_ascii_case("artist");
            } else if description.contains("selected attribution record") {
                let value: Option<serde_json::Value> = serde_json::from_str(&entry.value).ok();
                let id = value
                    .as_ref()
                    .and_then(|value| value.get("attribution_id")?.as_str());
                found.selected_work = id.map(str::to_owned);
            }
        }
        found
    }
}
