//! `pincite ask`: answers a question from the documents of the library.

use std::io::Write;
use std::sync::Arc;

use agents::reader::{EXTRACTIVE_MODEL, ReaderAgent};
use agui::event::{Event, EventData};
use agui::model::{Content, Message, Role, RunAgentInput};
use agui::{Agent as _, ReceivedEvent};
use anstyle::Style;
use citations::check::CitationChecker;
use citations::resolve::StatusCategory;
use citations::{Citation, ParsedAnswer, SdkVersion};
use json::{Number, Value};
use server::settings::ModelSettings;
use server::{LibraryReader, SystemHost, run_limits, system_clock};
use store::Principal;

use crate::cli::{AnswerFormat, AskArgs};
use crate::command_error::{CommandError, note, printable};
use crate::config;
use crate::data_commands::existing_directory;
use crate::embedding_model::configured_embedding;
use crate::library::{OpenedLibrary, principal, runtime, store_error};
use crate::models::configured_models;

/// Start of the block with citation data, which is not shown.
const BLOCK: &str = "<<<";

/// Citation of an answer, checked.
struct CheckedQuote {
    number: u64,
    quote: String,
    document: String,
    document_id: String,
    page: u64,
    status: String,
    is_verified: bool,
}

/// Answer of the reader with its checked citations.
struct CheckedAnswer {
    text: String,
    is_refused: bool,
    confidence: f64,
    model: String,
    quotes: Vec<CheckedQuote>,
}

/// Answer as it arrives.
#[derive(Default)]
struct ReceivedAnswer {
    text: String,
    outcome: Value,
    error: Option<String>,
}

/// Asks a question. A running server is not needed.
pub(crate) fn run(args: &AskArgs) -> Result<(), CommandError> {
    let data = existing_directory(&args.data)?;
    let mut settings = config::load(args.data.config.as_deref())?.settings;
    if let Some(model) = &args.model {
        settings.models.default = Some(model.clone());
    }
    let runtime = runtime()?;
    let embedding = configured_embedding(&settings, runtime.handle())?;
    let opened = OpenedLibrary::with_embedding(&data, embedding)?;
    let owner = principal(&args.principal)?;
    let answer = runtime.block_on(ask(args, &settings.models, &opened, &owner))?;
    match args.format {
        AnswerFormat::Json => writeln!(std::io::stdout().lock(), "{}", answer_json(&answer))?,
        AnswerFormat::Markdown => print_markdown(&answer)?,
        AnswerFormat::Text => print_sources(&answer)?,
    }
    match answer.quotes.iter().all(|quote| quote.is_verified) {
        true => Ok(()),
        false => Err(CommandError::Finding),
    }
}

async fn ask(
    args: &AskArgs,
    settings: &ModelSettings,
    opened: &OpenedLibrary,
    owner: &Principal,
) -> Result<CheckedAnswer, CommandError> {
    let library = &opened.library;
    let failed = |error: server::SearchError| CommandError::Configuration(error.to_string());
    let has_index = library.refresh_index().await.map_err(failed)?;
    opened.load_vectors().await;
    let counts = opened.store.library_counts().await;
    let counts = counts.map_err(|error| store_error(&error))?;
    if !has_index && counts.ready + counts.open > 0 {
        return Err(CommandError::Configuration(
            "there is no search index; run `pincite reindex`, or start the server".to_owned(),
        ));
    }
    if counts.open > 0 {
        note(&format!(
            "{} documents are not searchable yet; a server or `pincite reindex` indexes them",
            counts.open
        ));
    }
    let documents = match args.documents.is_empty() {
        true => None,
        false => {
            let found = library.resolve_documents(owner, &args.documents, system_clock());
            Some(found.await.map_err(failed)?)
        }
    };
    let reader = LibraryReader::new(library.clone(), owner.clone(), system_clock)
        .restricted_to(documents, args.labels.clone());
    let models = configured_models(settings)?;
    let host = Arc::new(SystemHost);
    let agent = ReaderAgent::new(Arc::new(reader), host, models, run_limits(settings));
    let is_shown = args.format == AnswerFormat::Text;
    let received = read_answer(&agent, &args.question.join(" "), is_shown).await?;
    if let Some(error) = received.error {
        return Err(CommandError::Configuration(error));
    }
    check_answer(opened, owner, received).await
}

/// Runs the agent and collects its answer. The text is printed as it arrives if it `is_shown`.
async fn read_answer(
    agent: &ReaderAgent,
    question: &str,
    is_shown: bool,
) -> Result<ReceivedAnswer, CommandError> {
    let mut run = agent.run(RunAgentInput {
        thread_id: "ask".to_owned(),
        run_id: "ask".to_owned(),
        protocol_version: None,
        parent_run_id: None,
        state: None,
        messages: vec![Message {
            content: Content::Text(question.to_owned()),
            ..Message::new("question", Role::User)
        }],
        tools: Vec::new(),
        context: Vec::new(),
        forwarded_props: None,
        resume: None,
    });
    let mut answer = ReceivedAnswer::default();
    let mut slot = ReceivedEvent::default();
    while let Some(read) = run.next_into(&mut slot).await {
        read.map_err(|error| CommandError::Configuration(error.to_string()))?;
        if let ReceivedEvent::Typed(event) = &slot {
            take_event(event, is_shown, &mut answer)?;
        }
    }
    if is_shown && answer.error.is_none() {
        writeln!(anstream::stdout().lock())?;
    }
    Ok(answer)
}

fn take_event(
    event: &Event,
    is_shown: bool,
    answer: &mut ReceivedAnswer,
) -> Result<(), CommandError> {
    match event.data() {
        // Remarks before a search are no part of the answer.
        EventData::TextMessageStart(_) => answer.text.clear(),
        EventData::TextMessageContent(content) => {
            if is_shown && !answer.text.contains(BLOCK) {
                let shown = content.delta.split(BLOCK).next().unwrap_or_default();
                let mut out = anstream::stdout().lock();
                write!(out, "{}", printable(shown.trim_end_matches('\n')))?;
                out.flush()?;
            }
            answer.text.push_str(&content.delta);
        }
        EventData::Custom(custom) => {
            answer.outcome = custom.value.value()["outcome"].clone();
        }
        EventData::RunError(error) => answer.error = Some(error.message.to_string()),
        _ => {}
    }
    Ok(())
}

/// Checks the citations of an answer against their documents.
async fn check_answer(
    opened: &OpenedLibrary,
    owner: &Principal,
    received: ReceivedAnswer,
) -> Result<CheckedAnswer, CommandError> {
    let parsed = ParsedAnswer::of(&received.text);
    let mut quotes = Vec::new();
    for cited in &parsed.citations {
        let citation = &cited.found.citation;
        quotes.push(check_quote(opened, owner, citation).await);
    }
    let verified = quotes.iter().filter(|quote| quote.is_verified).count();
    let share = match quotes.len() {
        0 => 1.0,
        count => verified as f64 / count as f64,
    };
    let outcome = &received.outcome;
    let stated = match &outcome["confidence"] {
        Value::Number(number) => number.as_f64(),
        _ => 0.0,
    };
    Ok(CheckedAnswer {
        text: parsed.visible.trim().to_owned(),
        is_refused: outcome["kind"].as_str() == Some("refused"),
        confidence: (stated * share).clamp(0.0, 1.0),
        model: outcome["model"]
            .as_str()
            .unwrap_or(EXTRACTIVE_MODEL)
            .to_owned(),
        quotes,
    })
}

async fn check_quote(
    opened: &OpenedLibrary,
    owner: &Principal,
    citation: &Citation,
) -> CheckedQuote {
    let document_id = citation.attachment_id.clone().unwrap_or_default();
    let quote = citation.full_phrase.clone().unwrap_or_default();
    let number = citation.marker().unwrap_or(0);
    let page = citation.page().unwrap_or(1);
    let named = opened
        .library
        .named(owner, &document_id, system_clock())
        .await;
    let (document, verdict) = match named {
        Ok((named, document)) => {
            let name = match &named {
                server::NamedDocument::Attachment(attachment) => attachment.name.clone(),
                server::NamedDocument::Content(_) => document_id.clone(),
            };
            (name, CitationChecker::new(&document).check(citation))
        }
        Err(_) => (
            document_id.clone(),
            citations::check::Verdict::source_missing(citation),
        ),
    };
    let status = verdict.status();
    CheckedQuote {
        number,
        quote,
        document,
        document_id,
        page,
        is_verified: StatusCategory::of(&status) == StatusCategory::Verified,
        status: status.name(SdkVersion::V2).to_owned(),
    }
}

fn answer_json(answer: &CheckedAnswer) -> String {
    let quotes = answer.quotes.iter().map(|quote| {
        Value::from([
            ("number", count(quote.number)),
            ("quote", quote.quote.as_str().into()),
            ("document", quote.document.as_str().into()),
            ("documentId", quote.document_id.as_str().into()),
            ("page", count(quote.page)),
            ("status", quote.status.as_str().into()),
        ])
    });
    let confidence = (answer.confidence * 1000.0).round() / 1000.0;
    let json = Value::from([
        ("answer", answer.text.as_str().into()),
        ("refused", answer.is_refused.into()),
        ("confidence", Value::Number(Number::from(confidence))),
        ("model", answer.model.as_str().into()),
        ("citations", Value::Array(quotes.collect())),
    ]);
    json.to_json()
}

fn count(number: u64) -> Value {
    usize::try_from(number).unwrap_or(usize::MAX).into()
}

fn print_sources(answer: &CheckedAnswer) -> Result<(), CommandError> {
    let dim = Style::new().dimmed();
    let mut out = anstream::stdout().lock();
    if !answer.quotes.is_empty() {
        writeln!(out)?;
    }
    for quote in &answer.quotes {
        writeln!(
            out,
            "[{}] {}, page {}  {dim}{}{dim:#}",
            quote.number,
            printable(&quote.document),
            quote.page,
            quote.status
        )?;
    }
    Ok(())
}

fn print_markdown(answer: &CheckedAnswer) -> Result<(), CommandError> {
    let mut text = answer.text.clone();
    for quote in &answer.quotes {
        text = text.replace(
            &format!("[{}]", quote.number),
            &format!("[^{}]", quote.number),
        );
    }
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", printable(&text))?;
    for quote in &answer.quotes {
        writeln!(
            out,
            "\n[^{}]: {}, page {} ({}): “{}”",
            quote.number,
            printable(&quote.document),
            quote.page,
            quote.status,
            printable(&quote.quote)
        )?;
    }
    Ok(())
}
