//! `pincite reindex`: makes the search index anew from the stored documents.

use std::io::Write;
use std::time::Duration;

use server::system_clock;
use store::{LibraryCounts, StoreError};

use super::{OpenedLibrary, runtime, store_error};
use crate::cli::ReindexArgs;
use crate::command_error::{CommandError, note};
use crate::config;
use crate::data_commands::existing_directory;
use crate::embedding_model::configured_embedding;
use crate::progress::ProgressLine;

/// Interval at which the progress is read.
const INTERVAL: Duration = Duration::from_millis(100);

/// Makes the index anew. A running server does the work itself; this command then follows it.
pub(crate) fn run(args: &ReindexArgs) -> Result<(), CommandError> {
    let data = existing_directory(&args.data)?;
    let settings = config::load(args.data.config.as_deref())?.settings;
    let runtime = runtime()?;
    let model = configured_embedding(&settings, runtime.handle())?;
    if args.vectors && model.is_none() {
        return Err(CommandError::Configuration(
            "there is no embedding model; fetch the sentence model with `make model`, or set \
             search.embedding"
                .to_owned(),
        ));
    }
    let opened = OpenedLibrary::with_embedding(&data, model)?;
    let counts = runtime.block_on(async {
        let indexer = tokio::spawn(opened.library.clone().run_indexer(system_clock));
        let counts = rebuild(&opened).await;
        let embedded = match &counts {
            Ok(_) if args.vectors => embed(&opened).await,
            _ => Ok(()),
        };
        indexer.abort();
        let _ = indexer.await;
        embedded?;
        counts.map_err(|error| store_error(&error))
    })?;
    writeln!(
        anstream::stdout(),
        "{} documents indexed, {} failed",
        counts.ready,
        counts.failed
    )?;
    Ok(())
}

async fn rebuild(opened: &OpenedLibrary) -> Result<LibraryCounts, StoreError> {
    let before = opened.store.derived_index().await?.id;
    opened.library.forget_index().await?;
    // The process that writes the index answers with a new one.
    loop {
        let id = opened.store.derived_index().await?.id;
        if id.is_some() && id != before {
            break;
        }
        tokio::time::sleep(INTERVAL).await;
    }
    let mut line: Option<ProgressLine> = None;
    loop {
        let counts = opened.store.library_counts().await?;
        if counts.open == 0 {
            return Ok(counts);
        }
        let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let total = count(counts.open + counts.ready + counts.failed);
        let line = line.get_or_insert_with(|| ProgressLine::new("documents indexed", total));
        line.reach(count(counts.ready + counts.failed));
        tokio::time::sleep(INTERVAL).await;
    }
}

/// Embeds all documents again, or has a running server do it.
async fn embed(opened: &OpenedLibrary) -> Result<(), CommandError> {
    let forgotten = opened.library.forget_vectors().await;
    forgotten.map_err(|error| store_error(&error))?;
    if !opened.library.is_index_writer() {
        note("the running server embeds the documents in the background");
        return Ok(());
    }
    let mut line: Option<ProgressLine> = None;
    let embedded = opened.library.embed_missing(|embedded, total| {
        let line = line.get_or_insert_with(|| ProgressLine::new("passages embedded", total));
        line.reach(embedded);
    });
    let embedded = embedded.await;
    embedded.map_err(|error| CommandError::Configuration(error.to_string()))
}
