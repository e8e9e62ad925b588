//! Why the command ends, and with which exit code.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use anstyle::{AnsiColor, Style};

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    /// The command worked and found something; it has said what.
    #[error("")]
    Finding,
    /// A stream broke a rule; the output up to there is complete.
    #[error("{0}")]
    Stopped(String),
    /// The arguments make no sense together.
    #[error("{0}")]
    Usage(&'static str),
    /// Something that was configured cannot be used.
    #[error("{0}")]
    Configuration(String),
    /// Nothing can be served there.
    #[error("cannot listen on {address}: {error}; choose another place with --listen")]
    Listen {
        /// Where.
        address: std::net::SocketAddr,
        /// Why not.
        error: io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {error}", .path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file cannot be read.
    #[error("cannot read {}: {error}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file does not hold what an option needs.
    #[error("{} is not {expected}: {reason}", .path.display())]
    WrongContent {
        /// The file.
        path: PathBuf,
        /// What it should be.
        expected: &'static str,
        /// Why it is not.
        reason: String,
    },
    /// The output cannot be written.
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
    /// A bug of ours.
    #[error(
        "internal error: this is a bug in pincite, please report it with the input that caused it"
    )]
    Panic,
}

impl CommandError {
    /// 1 a finding, 2 usage or configuration, 3 internal.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => 0,
            Self::Finding | Self::Stopped(_) => 1,
            Self::Usage(_)
            | Self::Configuration(_)
            | Self::Listen { .. }
            | Self::Unwritable { .. }
            | Self::Unreadable { .. }
            | Self::WrongContent { .. } => 2,
            Self::Output(_) | Self::Panic => 3,
        }
    }

    /// Says it on stderr, unless it has been said.
    pub(crate) fn tell(&self) {
        match self {
            Self::Finding => {}
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
            failure => complain("error", AnsiColor::Red, &failure.to_string()),
        }
    }
}

/// Set once, before anything is said.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Warnings are not said from now on.
pub(crate) fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Whether only errors are said.
pub(crate) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Says something on stderr that does not end the command.
pub(crate) fn warn(message: &str) {
    if !is_quiet() {
        complain("warning", AnsiColor::Yellow, message);
    }
}

/// Says on stderr what happens.
pub(crate) fn note(message: &str) {
    if !is_quiet() {
        // Nobody can be told that stderr is gone.
        let _ = writeln!(anstream::stderr(), "{message}");
    }
}

fn complain(what: &str, color: AnsiColor, message: &str) {
    let style = Style::new().bold().fg_color(Some(color.into()));
    // Nobody can be told that stderr is gone.
    let _ = writeln!(
        anstream::stderr(),
        "{style}{what}{style:#}: {}",
        shown(message)
    );
}

/// How long a message on a terminal may be.
const MAX_SHOWN: usize = 600;

/// A message as a terminal may show it: what came from a stream cannot move the cursor or forge
/// lines, and a long id is cut.
pub(crate) fn shown(message: &str) -> String {
    let mut shown = String::new();
    for (index, character) in message.chars().enumerate() {
        if index == MAX_SHOWN {
            shown.push('…');
            break;
        }
        let harmful = character.is_control()
            || matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if harmful {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    shown
}
