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

use agui::json::Value;
use citations::{Names, State};

use crate::cli::{Allowed, NamesForm, VerifyArgs, VerifyForm};
use crate::failure::{Failure, warn};
use crate::opening::Opening;
use answer::Claims;
use check::{Outcome, check_all};
use sources::Sources;

/// The version of this program.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// How many troubles are said on stderr.
const SHOWN: usize = 20;

/// Something that is said beside the verdicts.
#[derive(Debug, Clone)]
struct Trouble {
    /// A stable name.
    code: &'static str,
    /// What is wrong.
    message: String,
    /// What else is known: members of its JSON form.
    details: Vec<(&'static str, Value)>,
}

impl Trouble {
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
pub(crate) fn run(args: &VerifyArgs) -> Result<(), Failure> {
    if args.sources.is_empty() {
        return Err(Failure::Usage(
            "say what to check against: --source FILE, as often as needed",
        ));
    }
    let answer = args
        .answer
        .as_deref()
        .filter(|path| path.as_os_str() != "-");
    if args.watch {
        let (Some(answer), VerifyForm::Text) = (answer, args.format) else {
            return Err(Failure::Usage(
                "--watch needs the answer as a file, and shows it as text",
            ));
        };
        return watch::run(args, answer);
    }
    let claims = claims(args)?;
    let mut troubles = claims.troubles.clone();
    let opening = Opening::new(&args.opening)?;
    let sources = Sources::read(&args.sources, &opening, &mut troubles)?;
    let outcomes = check_all(&claims.claims, &sources, &mut troubles);
    tell(&claims, &troubles);
    let names = match args.names {
        NamesForm::G2 => Names::G2,
        NamesForm::G3 => Names::G3,
    };
    match args.format {
        VerifyForm::Text => table::print(&outcomes)?,
        VerifyForm::Html => {
            let report = html::Report {
                answer,
                claims: &claims,
                outcomes: &outcomes,
                sources: &sources,
                troubles: &troubles,
            };
            report.print(&opening)?;
        }
        VerifyForm::Markdown => marked::print(&outcomes)?,
        VerifyForm::Json => json::print(&outcomes, &troubles, names)?,
        VerifyForm::Sarif => sarif::print(answer, &outcomes, &troubles)?,
        VerifyForm::Junit => junit::print(&outcomes, &troubles, |outcome| fine(args, outcome))?,
    }
    verdict(args, &outcomes, &troubles)
}

/// Says on stderr what is to be said beside the verdicts.
fn tell(claims: &Claims, troubles: &[Trouble]) {
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

fn claims(args: &VerifyArgs) -> Result<Claims, Failure> {
    match (&args.answer, &args.citations) {
        (Some(_), Some(_)) => Err(Failure::Usage("give an answer or --citations, not both")),
        (None, Some(path)) => Claims::of_file(path),
        (answer, None) => {
            let text = read_answer(answer.as_ref())?;
            Ok(Claims::of_answer(&text, args.quotes))
        }
    }
}

fn read_answer(path: Option<&PathBuf>) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    match path.filter(|path| path.as_os_str() != "-") {
        Some(path) => {
            bytes = std::fs::read(path).map_err(|error| Failure::Unreadable {
                path: path.clone(),
                error,
            })?;
        }
        None if path.is_none() && std::io::stdin().is_terminal() => {
            return Err(Failure::Usage(
                "give the answer as a file, or pipe it in; --help shows how",
            ));
        }
        None => drop(std::io::stdin().read_to_end(&mut bytes)?),
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
}

/// Whether a citation is good enough.
fn fine(args: &VerifyArgs, outcome: &Outcome) -> bool {
    match outcome.state() {
        State::Verified => true,
        State::Partly => args.allow.contains(&Allowed::Partly),
        State::Elsewhere => args.allow.contains(&Allowed::Elsewhere),
        State::Missing | State::Pending => false,
    }
}

/// Whether everything was found that was quoted.
fn verdict(args: &VerifyArgs, outcomes: &[Outcome], troubles: &[Trouble]) -> Result<(), Failure> {
    let unread = troubles
        .iter()
        .any(|trouble| matches!(trouble.code, "unreadable_source" | "source_missing"));
    let all_fine = outcomes.iter().all(|outcome| fine(args, outcome));
    if !all_fine || unread || (outcomes.is_empty() && args.require_citations) {
        return Err(Failure::Finding);
    }
    Ok(())
}
