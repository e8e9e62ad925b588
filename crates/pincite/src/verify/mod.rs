//! `pincite verify`: checks the quotations of an answer against its sources.

mod answer;
mod check;
mod html;
mod json;
mod junit;
mod markdown;
mod sarif;
mod sources;
mod table;
mod watch;

use std::io::{IsTerminal, Read};
use std::path::PathBuf;

use ::json::Value;
use citations::{DisplayState, SdkVersion};

use crate::cli::{AllowedState, NamesFormat, VerifyArgs, VerifyFormat};
use crate::command_error::{CommandError, warn};
use crate::document_reader::ReaderContext;
use answer::AnswerClaims;
use check::{CheckedCitation, check_all};
use sources::SourceSet;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Limit on the notices printed to stderr.
const MAX_NOTICES: usize = 20;

/// A problem that is reported besides the verdicts, such as a source that cannot be read.
#[derive(Debug, Clone)]
struct VerifyNotice {
    /// Stable name for programs.
    code: &'static str,
    message: String,
    /// Further members of its JSON form.
    details: Vec<(&'static str, Value)>,
}

impl VerifyNotice {
    fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            details: Vec::new(),
        }
    }

    fn with(mut self, key: &'static str, value: impl Into<Value>) -> Self {
        self.details.push((key, value.into()));
        self
    }
}

/// Runs the command.
pub(crate) fn run(args: &VerifyArgs) -> Result<(), CommandError> {
    if args.sources.is_empty() {
        return Err(CommandError::Usage(
            "no sources to check against; name at least one with --source FILE",
        ));
    }
    let answer = args
        .answer
        .as_deref()
        .filter(|path| path.as_os_str() != "-");
    if args.watch {
        let (Some(answer), VerifyFormat::Text) = (answer, args.format) else {
            return Err(CommandError::Usage(
                "--watch needs the answer as a file and works with --format text only",
            ));
        };
        return watch::run(args, answer);
    }
    let claims = claims(args)?;
    let mut notices = claims.notices.clone();
    let context = ReaderContext::new(&args.reader)?;
    let sources = SourceSet::read(&args.sources, &context, &mut notices)?;
    let checked = check_all(&claims.claims, &sources, &mut notices);
    print_notices(&claims, &notices);
    let names = match args.names {
        NamesFormat::G2 => SdkVersion::V2,
        NamesFormat::G3 => SdkVersion::V3,
    };
    match args.format {
        VerifyFormat::Text => table::print(&checked)?,
        VerifyFormat::Html => {
            let report = html::HtmlReport {
                answer,
                claims: &claims,
                checked: &checked,
                sources: &sources,
                notices: &notices,
            };
            report.print(&context)?;
        }
        VerifyFormat::Markdown => markdown::print(&checked)?,
        VerifyFormat::Json => json::print(&checked, &notices, names)?,
        VerifyFormat::Sarif => sarif::print(answer, &checked, &notices)?,
        VerifyFormat::Junit => {
            junit::print(&checked, &notices, |citation| is_accepted(args, citation))?;
        }
    }
    exit_result(args, &checked, &notices)
}

/// Prints the notices to stderr.
fn print_notices(claims: &AnswerClaims, notices: &[VerifyNotice]) {
    if claims.claims.is_empty() {
        warn("the answer contains no citations; nothing was checked");
    }
    for notice in notices.iter().take(MAX_NOTICES) {
        warn(&notice.message);
    }
    if let Some(more) = notices
        .len()
        .checked_sub(MAX_NOTICES)
        .filter(|more| *more > 0)
    {
        warn(&format!(
            "… and {more} more warnings; --format json lists all"
        ));
    }
}

fn claims(args: &VerifyArgs) -> Result<AnswerClaims, CommandError> {
    match (&args.answer, &args.citations) {
        (Some(_), Some(_)) => Err(CommandError::Usage(
            "both an answer and --citations were given; leave out one of them",
        )),
        (None, Some(path)) => AnswerClaims::from_file(path),
        (answer, None) => {
            let text = read_answer(answer.as_ref())?;
            Ok(AnswerClaims::from_answer(&text, args.quotes))
        }
    }
}

fn read_answer(path: Option<&PathBuf>) -> Result<String, CommandError> {
    let mut bytes = Vec::new();
    match path.filter(|path| path.as_os_str() != "-") {
        Some(path) => {
            bytes = std::fs::read(path).map_err(|error| CommandError::Unreadable {
                path: path.clone(),
                error,
            })?;
        }
        None if path.is_none() && std::io::stdin().is_terminal() => {
            return Err(CommandError::Usage(
                "no answer to check; name a file or pipe the answer in (see --help)",
            ));
        }
        None => drop(std::io::stdin().read_to_end(&mut bytes)?),
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
}

/// Returns true if the citation is found, or if `--allow` accepts its result.
fn is_accepted(args: &VerifyArgs, citation: &CheckedCitation) -> bool {
    match citation.state() {
        DisplayState::Verified => true,
        DisplayState::Partly => args.allow.contains(&AllowedState::Partly),
        DisplayState::Elsewhere => args.allow.contains(&AllowedState::Elsewhere),
        DisplayState::Missing | DisplayState::Pending => false,
    }
}

/// Returns an error if a citation is not accepted or a source could not be read.
fn exit_result(
    args: &VerifyArgs,
    checked: &[CheckedCitation],
    notices: &[VerifyNotice],
) -> Result<(), CommandError> {
    let has_unread_source = notices
        .iter()
        .any(|notice| matches!(notice.code, "unreadable_source" | "source_missing"));
    let all_accepted = checked.iter().all(|citation| is_accepted(args, citation));
    if !all_accepted || has_unread_source || (checked.is_empty() && args.require_citations) {
        return Err(CommandError::Finding);
    }
    Ok(())
}
