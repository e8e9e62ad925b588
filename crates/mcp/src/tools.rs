//! Tools: their descriptions, and calls of the library.

use std::sync::Arc;

use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::progress::ProgressReporter;
use crate::schema::flat_schema;
use crate::service::{LibraryService, ServiceError, ServicePermissions};
use crate::tool_types::{
    AddDocumentToolArguments, AddedDocument, AnswerVerification, AskToolArguments, AskedAnswer,
    DocumentList, DocumentPages, ListDocumentsToolArguments, QuoteCheck, ReadToolArguments,
    SearchHits, SearchToolArguments, VerifyAnswerToolArguments, VerifyQuoteToolArguments,
};

/// Returns all tools.
pub(crate) fn all() -> Vec<Tool> {
    vec![
        tool::<SearchToolArguments, SearchHits>(
            "search",
            "Search documents",
            "Find passages in the documents of the library. Returns their text word for word, with document and page. \
             Quote from these texts.",
        ),
        tool::<ReadToolArguments, DocumentPages>(
            "read",
            "Read pages",
            "Read the text of pages of a document. Use it to see the context of a passage before you quote it.",
        ),
        tool::<AskToolArguments, AskedAnswer>(
            "ask",
            "Ask the documents",
            "Get an answer to a question from the documents, with quotes that were verified, or a refusal if the \
             documents do not have the answer.",
        ),
        tool::<VerifyQuoteToolArguments, QuoteCheck>(
            "verify_quote",
            "Verify a quote",
            "Check that a quote is in its source before you use it. `verified` is true only if the words are there; a \
             changed number, name or negation is never verified. `sourceText` has the words as the source has them.",
        ),
        tool::<VerifyAnswerToolArguments, AnswerVerification>(
            "verify_answer",
            "Verify an answer",
            "Check all citations of an answer against the documents. Correct or remove those that are not verified \
             before you show the answer.",
        ),
        tool::<ListDocumentsToolArguments, DocumentList>(
            "list_documents",
            "List documents",
            "List the documents of the library, the newest first.",
        ),
        tool::<AddDocumentToolArguments, AddedDocument>(
            "add_document",
            "Add a document",
            "Add a document to the library: as text, as a Base64 file, or by address. It can be read and verified \
             against at once.",
        )
        .with_annotations(
            ToolAnnotations::with_title("Add a document")
                .read_only(false)
                .destructive(false)
                .idempotent(true)
                .open_world(false),
        ),
    ]
}

/// Returns the tools that a client may call.
pub(crate) fn allowed(permissions: ServicePermissions) -> Vec<Tool> {
    let mut tools = all();
    tools.retain(|tool| is_allowed(&tool.name, permissions));
    tools
}

fn is_allowed(name: &str, permissions: ServicePermissions) -> bool {
    match name {
        "ask" => permissions.can_ask,
        "add_document" => permissions.can_write,
        _ => true,
    }
}

fn tool<A: JsonSchema, R: JsonSchema>(
    name: &'static str,
    title: &'static str,
    description: &'static str,
) -> Tool {
    Tool::new(name, description, flat_schema::<A>())
        .with_title(title)
        .with_raw_output_schema(flat_schema::<R>())
        .with_annotations(
            ToolAnnotations::with_title(title)
                .read_only(true)
                .open_world(false),
        )
}

/// Calls a tool. Failures are results, so that the model reads them. Returns `None` for an unknown tool.
pub(crate) async fn call(
    library: &Arc<dyn LibraryService>,
    name: &str,
    arguments: Option<JsonObject>,
    progress: &ProgressReporter,
) -> Option<CallToolResult> {
    if !all().iter().any(|tool| tool.name == name) {
        return None;
    }
    if !is_allowed(name, library.permissions()) {
        return Some(failed(&ServiceError::new(
            format!("The tool `{name}` is not allowed here"),
            "This connection is read-only. Use a key with the scope `write`, or start the server without read-only mode",
        )));
    }
    let arguments = Value::Object(arguments.unwrap_or_default());
    Some(
        match call_allowed(library, name, arguments, progress).await {
            Ok(value) => CallToolResult::structured(value),
            Err(error) => failed(&error),
        },
    )
}

async fn call_allowed(
    library: &Arc<dyn LibraryService>,
    name: &str,
    arguments: Value,
    progress: &ProgressReporter,
) -> Result<Value, ServiceError> {
    match name {
        "search" => structured(&library.search(read(arguments)?).await?),
        "read" => structured(&library.read(read(arguments)?).await?),
        "ask" => structured(&library.ask(read(arguments)?, progress).await?),
        "verify_quote" => structured(&library.verify_quote(read(arguments)?).await?),
        "verify_answer" => structured(&library.verify_answer(read(arguments)?, progress).await?),
        "list_documents" => structured(&library.list_documents(read(arguments)?).await?),
        _ => structured(&library.add_document(read(arguments)?, progress).await?),
    }
}

fn read<A: DeserializeOwned>(arguments: Value) -> Result<A, ServiceError> {
    serde_json::from_value(arguments).map_err(|error| {
        ServiceError::new(
            format!("The arguments are not valid: {error}"),
            "`tools/list` has the schema of the arguments",
        )
    })
}

fn structured(result: &impl Serialize) -> Result<Value, ServiceError> {
    serde_json::to_value(result)
        .map_err(|error| ServiceError::new(error.to_string(), "Report this as a defect"))
}

fn failed(error: &ServiceError) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(error.text())])
}
