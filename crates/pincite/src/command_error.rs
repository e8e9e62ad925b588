//! Errors of commands, their exit codes, and messages on stderr.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use anstyle::{AnsiColor, Style};

/// Reason why a command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    /// A finding that the command has already printed.
    #[error("")]
    Finding,
    /// A finding that ends the command; the output before it is complete.
    #[error("{0}")]
    Stopped(String),
    /// Arguments that contradict each other.
    #[error("{0}")]
    Usage(&'static str),
    /// Configuration that cannot be used.
    #[error("{0}")]
    Configuration(String),
    /// Address that cannot be listened on.
    #[error("cannot listen on {address}: {error}; choose another address with --listen")]
    Listen {
        address: std::net::SocketAddr,
        error: io::Error,
    },
    /// Source of the command line that does not exist.
    #[error("no such source: {}; {}", .path.display(), missing_hint(.similar.as_deref()))]
    NoSuchSource {
        path: PathBuf,
        /// Existing file with a similar name.
        similar: Option<String>,
    },
    /// Answer that is neither text nor a document.
    #[error("cannot read the answer {}: {reason}; {hint}", .path.display())]
    UnusableAnswer {
        path: PathBuf,
        reason: String,
        hint: String,
    },
    /// File that cannot be written.
    #[error("cannot write {}: {error}; check the path and its permissions", .path.display())]
    Unwritable { path: PathBuf, error: io::Error },
    /// File that cannot be read.
    #[error("cannot read {}: {error}; check the path and its permissions", .path.display())]
    Unreadable { path: PathBuf, error: io::Error },
    /// File with content that an option cannot use.
    #[error("{} is not {expected}: {reason}", .path.display())]
    WrongContent {
        path: PathBuf,
        /// Name of the expected content, such as "a JSON array".
        expected: &'static str,
        reason: String,
    },
    /// Failure to write to standard output.
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
    /// Panic of the program.
    #[error(
        "internal error: this is a bug in pincite, please report it with the input that caused it"
    )]
    Panic,
}

impl CommandError {
    /// Returns the exit code: 1 for findings, 2 for usage and configuration, 3 for internal errors.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => 0,
            Self::Finding | Self::Stopped(_) => 1,
            Self::Usage(_)
            | Self::NoSuchSource { .. }
            | Self::UnusableAnswer { .. }
            | Self::Configuration(_)
            | Self::Listen { .. }
            | Self::Unwritable { .. }
            | Self::Unreadable { .. }
            | Self::WrongContent { .. } => 2,
            Self::Output(_) | Self::Panic => 3,
        }
    }

    /// Prints the error to stderr, except findings that are printed already.
    pub(crate) fn print(&self) {
        match self {
            Self::Finding => {}
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
            error => print_labelled("error", AnsiColor::Red, &error.to_string()),
        }
    }
}

/// True if only errors are printed. Set once, at the start.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Suppresses warnings and notes.
pub(crate) fn suppress_warnings() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Returns true if only errors are printed.
pub(crate) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Returns the hint for a file that does not exist.
fn missing_hint(similar: Option<&str>) -> String {
    match similar {
        Some(similar) => format!("did you mean '{similar}'?"),
        None => "check the path".to_owned(),
    }
}

/// Prints an error that does not end the command to stderr, also if warnings are suppressed.
pub(crate) fn print_error(message: &str) {
    print_labelled("error", AnsiColor::Red, message);
}

/// Prints a warning to stderr.
pub(crate) fn warn(message: &str) {
    if !is_quiet() {
        print_labelled("warning", AnsiColor::Yellow, message);
    }
}

/// Prints a line of information to stderr.
pub(crate) fn note(message: &str) {
    if !is_quiet() {
        // A closed stderr cannot be reported anywhere.
        let _ = writeln!(anstream::stderr(), "{message}");
    }
}

fn print_labelled(label: &str, color: AnsiColor, message: &str) {
    let style = Style::new().bold().fg_color(Some(color.into()));
    // A closed stderr cannot be reported anywhere.
    let _ = writeln!(
        anstream::stderr(),
        "{style}{label}{style:#}: {}",
        printable(message)
    );
}

/// Limit on the characters of a message on a terminal.
const MAX_SHOWN: usize = 600;

/// Returns the message in a form that is safe for a terminal. Control characters are escaped, so that
/// untrusted text can neither move the cursor nor forge lines; long messages are cut.
pub(crate) fn printable(message: &str) -> String {
    let mut printable = String::new();
    for (index, character) in message.chars().enumerate() {
        if index == MAX_SHOWN {
            printable.push('…');
            break;
        }
        let is_harmful = character.is_control()
            || matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if is_harmful {
            printable.extend(character.escape_unicode());
        } else {
            printable.push(character);
        }
    }
    printable
}
