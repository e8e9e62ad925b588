//! Memory of a thread: what a run restores when it starts.

use agui::EventReader;
use agui::ReceivedEvent;
use agui::fold::Fold;
use json::{Json, Text};

/// Memory of a thread, as the program stored it.
#[derive(Debug, Clone)]
pub struct ThreadMemory {
    /// The whole stored state.
    pub state: Json,
    /// Parts of the ledger that the state cannot hold: the last record passed to
    /// [`LayerHost::save_thread`](crate::LayerHost::save_thread).
    pub record: Option<Json>,
}

impl ThreadMemory {
    /// Applies JSON patches of late results and reviews to the stored state, in their order. A patch that is not
    /// valid or does not fit is skipped, as a client skips it.
    #[must_use]
    pub fn with_patches<'p>(mut self, patches: impl IntoIterator<Item = &'p str>) -> Self {
        let mut patches = patches.into_iter().peekable();
        if patches.peek().is_none() {
            return self;
        }
        let mut fold = Fold::new([], self.state);
        let mut reader = EventReader::new();
        for patch in patches {
            let event = format!(r#"{{"type":"STATE_DELTA","delta":{patch}}}"#);
            if let Ok(ReceivedEvent::Typed(event)) = reader.read(Text::from(event)) {
                // A warning says that the patch does not fit.
                let _ = fold.apply(&event);
            }
        }
        self.state = fold.state().clone();
        self
    }
}

/// Memory of a thread whose state holds the whole ledger.
impl From<Json> for ThreadMemory {
    fn from(state: Json) -> Self {
        Self {
            state,
            record: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skips_patches_that_do_not_fit() {
        let state = Json::parse(r#"{"a":1}"#).expect("JSON");
        let memory = ThreadMemory::from(state).with_patches([
            r#"[{"op":"add","path":"/b","value":2}]"#,
            r#"[{"op":"remove","path":"/missing/x"}]"#,
            "no patch",
            r#"[{"op":"replace","path":"/a","value":3}]"#,
        ]);
        assert_eq!(memory.state.to_json(), r#"{"a":3,"b":2}"#);
    }
}
