//! Agent-generated UI as HTML and as text, for mail, print and terminals.
//!
//! The input is what agents send: messages of the canvas or of A2UI, one, a list or JSON Lines. Nothing is fetched or
//! executed, and no HTML of an agent reaches the output: pictures are named, not loaded, and buttons are labels.
//!
//! ```
//! use canvas_rendering::{RenderTarget, render};
//!
//! let sent = r#"{"type":"ui","agentId":"a","payload":{"component":"markdown","data":{"text":"**Done**"}}}"#;
//! assert_eq!(render(sent, RenderTarget::Text)?, "**Done**\n");
//! # Ok::<(), canvas_rendering::CanvasRenderError>(())
//! ```

mod markdown;
mod message_input;
mod page;
mod surface_html;
mod surface_text;
mod surface_tree;

use thiserror::Error;

pub use surface_tree::MAX_TREE_DEPTH;

use message_input::RenderInput;

/// Form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RenderTarget {
    /// A whole page without scripts.
    Html,
    /// Text with Markdown marks.
    Text,
}

/// An input that cannot be rendered.
#[derive(Debug, Error)]
pub enum CanvasRenderError {
    /// Messages of A2UI with problems.
    #[error("the A2UI messages are not valid: {}", first_problem(.0))]
    A2ui(Vec<a2ui::A2uiProblem>),
    /// A message of A2UI that does not fit those before it.
    #[error(transparent)]
    Surface(#[from] a2ui::SurfaceError),
    /// A message of the canvas with problems.
    #[error("message {position} is not valid: {reason}")]
    Message {
        /// Number of the message, from 1.
        position: usize,
        /// Path and reason of its first problem.
        reason: String,
    },
}

fn first_problem(problems: &[a2ui::A2uiProblem]) -> String {
    problems
        .first()
        .map(|problem| format!("{}: {}", problem.path, problem.message))
        .unwrap_or_default()
}

/// Renders messages of the canvas or of A2UI.
///
/// # Errors
///
/// The input is not valid; the error names the place.
pub fn render(input: &str, target: RenderTarget) -> Result<String, CanvasRenderError> {
    let input = RenderInput::read(input)?;
    Ok(match (target, input) {
        (RenderTarget::Text, RenderInput::Messages(messages)) => {
            let texts: Vec<String> = messages.iter().map(canvas::text_form).collect();
            format!("{}\n", texts.join("\n\n"))
        }
        (RenderTarget::Html, RenderInput::Messages(messages)) => {
            let parts = messages
                .iter()
                .map(|message| markdown::to_html(&canvas::text_form(message)));
            page::html_page(parts.map(|part| format!("<article>\n{part}</article>\n")))
        }
        (RenderTarget::Text, RenderInput::Surfaces(set)) => {
            let texts: Vec<String> = set.surfaces().iter().map(surface_text::to_text).collect();
            texts.join("\n")
        }
        (RenderTarget::Html, RenderInput::Surfaces(set)) => {
            page::html_page(set.surfaces().iter().map(surface_html::to_html))
        }
    })
}
