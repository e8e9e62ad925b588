//! `pincite canvas`: checks and renders agent-generated UI.

use std::io::{Read as _, Write as _};
use std::path::Path;

use a2ui::{A2uiCatalog, A2uiProblem};
use canvas_rendering::RenderTarget;
use serde::Serialize;

use crate::cli::{
    CanvasCheckArgs, CanvasCommand, CanvasRenderArgs, MessageKindChoice, RenderChoice,
};
use crate::command_error::CommandError;

pub(crate) fn run(command: &CanvasCommand) -> Result<(), CommandError> {
    match command {
        CanvasCommand::Check(args) => check(args),
        CanvasCommand::Render(args) => render(args),
    }
}

/// Report of `canvas check`.
#[derive(Serialize)]
struct CanvasCheckReport {
    valid: bool,
    errors: Vec<A2uiProblem>,
}

fn check(args: &CanvasCheckArgs) -> Result<(), CommandError> {
    let input = read(&args.file)?;
    let errors = match args.kind {
        MessageKindChoice::A2ui => a2ui::check_agent_messages(&input, &catalog(args)?),
        MessageKindChoice::A2uiClient => a2ui::check_client_messages(&input),
        MessageKindChoice::Canvas => canvas_problems(&input),
    };
    let valid = errors.is_empty();
    let report = serde_json::to_string(&CanvasCheckReport { valid, errors });
    writeln!(std::io::stdout().lock(), "{}", report.unwrap_or_default())?;
    if valid {
        Ok(())
    } else {
        Err(CommandError::Finding)
    }
}

fn catalog(args: &CanvasCheckArgs) -> Result<A2uiCatalog, CommandError> {
    let Some(path) = &args.catalog else {
        return Ok(A2uiCatalog::basic());
    };
    A2uiCatalog::parse(&read(path)?).map_err(|error| CommandError::WrongContent {
        path: path.clone(),
        expected: "an A2UI catalog",
        reason: error.to_string(),
    })
}

/// Problems of messages of the canvas; repairs that a server would make count as problems.
fn canvas_problems(input: &str) -> Vec<A2uiProblem> {
    let messages = match a2ui::split_messages(input) {
        Ok(messages) => messages,
        Err(problem) => return vec![problem],
    };
    messages
        .iter()
        .flat_map(|(path, message)| message_problems(path, message))
        .collect()
}

fn message_problems(path: &str, message: &serde_json::Value) -> Vec<A2uiProblem> {
    let at = |place: &str, code: &'static str, message: String| A2uiProblem {
        path: format!("{path}{place}"),
        code,
        message,
    };
    let value = match json::Value::parse(&message.to_string()) {
        Ok(value) => value,
        Err(error) => return vec![at("", "not_json", error.to_string())],
    };
    let conversation = value
        .get("conversationId")
        .and_then(json::Value::as_str)
        .unwrap_or("file");
    let conversation = conversation.to_owned();
    match canvas::check(value, &conversation) {
        Ok(checked) => {
            let repairs = checked.repairs.into_iter();
            repairs
                .map(|repair| at(&repair.path, repair.code, repair.message))
                .collect()
        }
        Err(refused) => {
            let errors = refused.errors.into_iter();
            errors
                .map(|error| at(&error.path, error.code, error.message))
                .collect()
        }
    }
}

fn render(args: &CanvasRenderArgs) -> Result<(), CommandError> {
    let input = read(&args.file)?;
    let target = match args.to {
        RenderChoice::Html => RenderTarget::Html,
        RenderChoice::Text => RenderTarget::Text,
    };
    let rendered = canvas_rendering::render(&input, target)
        .map_err(|error| CommandError::Stopped(error.to_string()))?;
    std::io::stdout().lock().write_all(rendered.as_bytes())?;
    Ok(())
}

fn read(path: &Path) -> Result<String, CommandError> {
    let read = if path == Path::new("-") {
        let mut input = String::new();
        std::io::stdin()
            .lock()
            .read_to_string(&mut input)
            .map(|_| input)
    } else {
        std::fs::read_to_string(path)
    };
    read.map_err(|error| CommandError::Unreadable {
        path: path.to_owned(),
        error,
    })
}
