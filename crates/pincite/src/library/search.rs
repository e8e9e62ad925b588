//! `pincite search`: finds passages in the library.

use std::io::Write;
use std::time::Instant;

use anstyle::{AnsiColor, Style};
use server::{FoundChunk, SearchRequest, SearchResponse, search_json, system_clock};
use store::Principal;

use super::{OpenedLibrary, principal, runtime, store_error};
use crate::cli::{ReportFormat, SearchArgs};
use crate::command_error::{CommandError, note, printable};
use crate::config;
use crate::data_commands::existing_directory;
use crate::embedding_model::configured_embedding;

/// Searches the library. A running server is not needed.
pub(crate) fn run(args: &SearchArgs) -> Result<(), CommandError> {
    let data = existing_directory(&args.data)?;
    let settings = config::load(args.data.config.as_deref())?.settings;
    let runtime = runtime()?;
    let model = configured_embedding(&settings, runtime.handle())?;
    let opened = OpenedLibrary::with_embedding(&data, model)?;
    let owner = principal(&args.principal)?;
    let started = Instant::now();
    let found = runtime.block_on(search(args, &opened, &owner))?;
    match args.format {
        ReportFormat::Json => {
            let json = search_json(found, None, args.explain, started.elapsed());
            writeln!(std::io::stdout().lock(), "{json}")?;
            Ok(())
        }
        ReportFormat::Text => print(&found, args.explain),
    }
}

async fn search(
    args: &SearchArgs,
    opened: &OpenedLibrary,
    owner: &Principal,
) -> Result<SearchResponse, CommandError> {
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
    let mut request = SearchRequest {
        labels: args.labels.clone(),
        ..SearchRequest::new(args.query.join(" "), args.limit)
    };
    if !args.documents.is_empty() {
        let documents = library.resolve_documents(owner, &args.documents, system_clock());
        request.documents = Some(documents.await.map_err(failed)?);
    }
    let found = library.search(owner, request, system_clock()).await;
    let mut found = found.map_err(failed)?;
    if counts.open > 0 {
        found.notes.push(format!(
            "{} documents are not searchable yet; a server or `pincite reindex` indexes them.",
            counts.open
        ));
    }
    Ok(found)
}

fn print(found: &SearchResponse, explain: bool) -> Result<(), CommandError> {
    for remark in &found.notes {
        note(&printable(remark));
    }
    if found.hits.is_empty() {
        note("no passage found; try other words, or fewer");
        return Err(CommandError::Finding);
    }
    let mut out = anstream::stdout().lock();
    for (at, hit) in found.hits.iter().enumerate() {
        print_hit(&mut out, at + 1, hit)?;
        if explain {
            print_explanation(&mut out, hit)?;
        }
    }
    Ok(())
}

fn print_hit(out: &mut impl Write, number: usize, hit: &FoundChunk) -> std::io::Result<()> {
    let bold = Style::new().bold();
    let dim = Style::new().dimmed();
    let chunk = &hit.chunk;
    let pages = match (chunk.pages.first(), chunk.pages.last()) {
        (Some(first), Some(last)) if first != last => format!("pages {first}–{last}"),
        (Some(first), _) => format!("page {first}"),
        _ => String::new(),
    };
    let name = printable(&chunk.filename);
    writeln!(
        out,
        "{number}. {bold}{name}{bold:#}, {pages}  {dim}{}{dim:#}",
        chunk.id
    )?;
    if !chunk.headings.is_empty() {
        let headings = printable(&chunk.headings.join(" › "));
        writeln!(out, "   {dim}{headings}{dim:#}")?;
    }
    writeln!(out, "   {}", highlighted(hit))
}

/// Returns the snippet with highlighted words.
fn highlighted(hit: &FoundChunk) -> String {
    let style = Style::new().bold().fg_color(Some(AnsiColor::Yellow.into()));
    let mut text = String::new();
    let mut at = 0;
    let mut ranges = hit.snippet.highlights.iter().peekable();
    for char in hit.snippet.text.chars() {
        if ranges.peek().is_some_and(|range| range.start == at) {
            text.push_str(&style.render().to_string());
        }
        text.push_str(&printable(&char.to_string()));
        at += char.len_utf16();
        if ranges.next_if(|range| range.end == at).is_some() {
            text.push_str(&style.render_reset().to_string());
        }
    }
    text
}

fn print_explanation(out: &mut impl Write, hit: &FoundChunk) -> std::io::Result<()> {
    for list in &hit.explanation.lists {
        writeln!(
            out,
            "     {}: rank {}, score {:.3}, weight {}, contribution {:.3}",
            list.list.as_str(),
            list.rank,
            list.score,
            list.weight,
            list.contribution
        )?;
    }
    for term in &hit.explanation.terms {
        writeln!(
            out,
            "     {} {:.3} ({:?}: {})",
            printable(&term.word),
            term.score,
            term.kind,
            printable(&term.searched.join(", "))
        )?;
    }
    Ok(())
}
