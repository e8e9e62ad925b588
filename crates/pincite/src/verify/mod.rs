//! `pincite verify`: what an answer quotes, checked against its sources.

mod answer;
mod check;
mod html;
mod json;
mod junit;
mod marked;
mod sarif;
mod sources;
mod table;
mod watch;

use std::io::{IsTerminal, Read};
use std::path::PathBuf;

use ::json::Value;
use citations::{DisplayState, SdkVersion};

use crate::cli::{AllowedState, NamesFormat, VerifyArgs, VerifyFormat};
use crate::failure::{CommandError, warn};
use crate::opening::OpenContext;
use answer::AnswerClaims;
use check::{CheckedCitation, check_all};
use sources::SourceSet;

/// The version of this program.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// How many troubles are said on stderr.
const SHOWN: usize = 20;

/// Something that is said beside the verdicts.
#[derive(Debug, Clone)]
struct VerifyNotice {
    /// A stable name.
    code: &'static str,
    /// What is wrong.
    message: String,
    /// What else is known: members of its JSON form.
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
            "say what to check against: --source FILE, as often as needed",
        ));
    }
    let answer = args
        .answer
        .as_deref()
        .filter(|path| path.as_os_str() != "-");
    if args.watch {
        let (Some(answer), VerifyFormat::Text) = (answer, args.format) else {
            return Err(CommandError::Usage(
                "--watch needs the answer as a file, and shows it as text",
            ));
        };
        return watch::run(args, answer);
    }
    let claims = claims(args)?;
    let mut troubles = claims.troubles.clone();
    let opening = OpenContext::new(&args.opening)?;
    let sources = SourceSet::read(&args.sources, &opening, &mut troubles)?;
    let outcomes = check_all(&claims.claims, &sources, &mut troubles);
    tell(&claims, &troubles);
    let names = match args.names {
        NamesFormat::G2 => SdkVersion::V2,
        NamesFormat::G3 => SdkVersion::V3,
    };
    match args.format {
        VerifyFormat::Text => table::print(&outcomes)?,
        VerifyFormat::Html => {
            let report = html::HtmlReport {
                answer,
                claims: &claims,
                outcomes: &outcomes,
                sources: &sources,
                troubles: &troubles,
            };
            report.print(&opening)?;
        }
        VerifyFormat::Markdown => marked::print(&outcomes)?,
        VerifyFormat::Json => json::print(&outcomes, &troubles, names)?,
        VerifyFormat::Sarif => sarif::print(answer, &outcomes, &troubles)?,
        VerifyFormat::Junit => junit::print(&outcomes, &troubles, |outcome| fine(args, outcome))?,
    }
    verdict(args, &outcomes, &troubles)
}

/// Says on stderr what is to be said beside the verdicts.
fn tell(claims: &AnswerClaims, troubles: &[VerifyNotice]) {
    if claims.claims.is_empty() {
        warn("there is no citation in the answer; nothing was checked");
    }
    for trouble in troubles.iter().take(SHOWN) {
        warn(&trouble.message);
    }
    if let Some(more) = troubles.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        warn(&format!("… and {more} more; --format json has them all"));
    }
}

fn claims(args: &VerifyArgs) -> Result<AnswerClaims, CommandError> {
    match (&args.answer, &args.citations) {
        (Some(_), Some(_)) => Err(CommandError::Usage(
            "give an answer or --citations, not both",
        )),
        (None, Some(path)) => AnswerClaims::of_file(path),
        (answer, None) => {
            let text = read_answer(answer.as_ref())?;
            Ok(AnswerClaims::of_answer(&text, args.quotes))
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
                "give the answer as a file, or pipe it in; --help shows how",
            ));
        }
        None => drop(std::io::stdin().read_to_end(&mut bytes)?),
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
}

/// Whether a citation is good enough.
fn fine(args: &VerifyArgs, outcome: &CheckedCitation) -> bool {
    match outcome.state() {
        DisplayState::Verified => true,
        DisplayState::Partly => args.allow.contains(&AllowedState::Partly),
        DisplayState::Elsewhere => args.allow.contains(&AllowedState::Elsewhere),
        DisplayState::Missing | DisplayState::Pending => false,
    }
}

/// Whether everything was found that was quoted.
fn verdict(
    args: &VerifyArgs,
    outcomes: &[CheckedCitation],
    troubles: &[VerifyNotice],
) -> Result<(), CommandError> {
    let unread = troubles
        .iter()
        .any(|trouble| matches!(trouble.code, "unreadable_source" | "source_missing"));
    let all_fine = outcomes.iter().all(|outcome| fine(args, outcome));
    if !all_fine || unread || (outcomes.is_empty() && args.require_citations) {
        return Err(CommandError::Finding);
    }
    Ok(())
}
