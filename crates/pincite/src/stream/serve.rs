//! `pincite stream serve`: serves recordings as an agent.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use server::recordings::{PlaybackOptions, PlayedRequest, Recording};
use tokio::net::TcpListener;

use super::input::{self, InputStream};
use super::problems::FatalStreamError;
use crate::cli::{InputArgs, StreamServeArgs};
use crate::command_error::{CommandError, note, printable, warn};

/// Runs the command until it is interrupted.
pub(crate) fn run(args: &StreamServeArgs) -> Result<(), CommandError> {
    let input = InputArgs {
        files: args.files.clone(),
        from: args.from,
    };
    let recordings = input::open(&input, false)?
        .into_iter()
        .zip(&args.files)
        .map(|(source, path)| read(source, path.display().to_string()))
        .collect::<Result<Vec<_>, _>>()?;
    let options = PlaybackOptions {
        pace: args.pace.map(Duration::from_millis),
        verbatim: args.verbatim,
    };
    super::runtime()?.block_on(serve(args.listen, recordings, options))
}

/// Reads a recording to its end.
fn read(mut source: InputStream, name: String) -> Result<Recording, CommandError> {
    let mut events = Vec::new();
    loop {
        let index = source.events();
        match source.next_event(|| Ok(()))? {
            Some(Ok(event)) => events.push(event),
            Some(Err(error)) => {
                return Err(FatalStreamError::decode(Some(&name), index, &error).stopped());
            }
            None => break,
        }
    }
    if events.is_empty() {
        warn(&format!(
            "{name} contains no events; is it an AG-UI stream?"
        ));
    }
    Ok(Recording {
        name,
        events: Arc::from(events),
    })
}

async fn serve(
    listen: SocketAddr,
    recordings: Vec<Recording>,
    options: PlaybackOptions,
) -> Result<(), CommandError> {
    let listen_error = |error| CommandError::Listen {
        address: listen,
        error,
    };
    let listener = TcpListener::bind(listen).await.map_err(listen_error)?;
    let address = listener.local_addr().map_err(listen_error)?;
    if !address.ip().is_loopback() {
        warn("other machines can read the recordings; listen on 127.0.0.1 to prevent that");
    }
    let count = match recordings.len() {
        1 => "1 recording".to_owned(),
        count => format!("{count} recordings"),
    };
    // The server runs even if stdout is closed.
    let _ = std::io::stdout().write_all(
        format!(
            "Serving {count} at http://{address}/ (Ctrl-C stops)\n\
             Try: pincite stream run http://{address}/ --message Hello\n"
        )
        .as_bytes(),
    );
    tokio::select! {
        served = server::recordings::serve(listener, recordings, options, print_request) => {
            served.map_err(listen_error)
        }
        _ = tokio::signal::ctrl_c() => Ok(()),
    }
}

fn print_request(played: PlayedRequest<'_>) {
    note(&format!(
        "{}. {}: {} events for run {} of thread {}",
        played.number,
        played.recording.name,
        played.recording.events.len(),
        printable(played.run_id),
        printable(played.thread_id),
    ));
}
