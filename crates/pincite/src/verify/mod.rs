//! `pincite verify`: checks the quotations of an answer against its sources.

mod aliases;
mod answer;
mod answer_file;
mod check;
mod docx_report;
mod html;
mod html_answer;
mod json;
#[cfg(test)]
mod json_schema;
mod junit;
mod manuscript;
mod markdown;
mod output;
mod own_files;
mod pdf_answer;
mod positions;
mod quotation_claims;
mod sarif;
mod sources;
mod table;
mod watch;

use std::path::Path;

use ::json::Value;
use citations::{DisplayState, SdkVersion};

use crate::cli::{AllowedState, NamesFormat, VerifyArgs, VerifyFormat};
use crate::command_error::{CommandError, print_error, warn};
use crate::document_reader::ReaderContext;
use aliases::SourceAliases;
use answer::AnswerClaims;
use answer_file::AnswerFile;
use check::{CheckedCitation, check_all};
use own_files::OwnFiles;
use sources::{SourceSet, check_given};

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

    /// Returns true if the command fails because of it.
    fn is_error(&self) -> bool {
        matches!(self.code, "unreadable_source" | "source_missing")
    }

    fn with(mut self, key: &'static str, value: impl Into<Value>) -> Self {
        self.details.push((key, value.into()));
        self
    }
}

/// Answer or citations of the command line.
enum VerifyInput<'a> {
    Answer(Box<AnswerFile>),
    /// JSON file of citations.
    Citations(&'a Path),
}

impl<'a> VerifyInput<'a> {
    fn read(args: &'a VerifyArgs, context: &ReaderContext) -> Result<Self, CommandError> {
        match &args.citations {
            Some(path) => Ok(Self::Citations(path)),
            None => {
                let answer = AnswerFile::read(args.answer.as_deref(), context)?;
                Ok(Self::Answer(Box::new(answer)))
            }
        }
    }

    /// Returns the answer if it is a file.
    fn path(&self) -> Option<&Path> {
        match self {
            Self::Answer(answer) => answer.path(),
            Self::Citations(_) => None,
        }
    }

    /// Returns the files that are never sources.
    fn own_files(&self, args: &VerifyArgs) -> OwnFiles {
        let mut own = match self {
            Self::Answer(answer) => answer.own_files(),
            Self::Citations(path) => {
                let mut own = OwnFiles::default();
                own.add_path(path, "is the file of citations");
                own
            }
        };
        if let Some(path) = &args.output {
            own.add_path(path, "is the file of the report");
        }
        if let Some(path) = &args.aliases {
            own.add_path(path, "is the file of aliases");
        }
        own
    }

    fn read_sources(
        &self,
        args: &VerifyArgs,
        context: &ReaderContext,
        notices: &mut Vec<VerifyNotice>,
    ) -> Result<SourceSet, CommandError> {
        let aliases = args
            .aliases
            .as_deref()
            .map(SourceAliases::read)
            .transpose()?;
        let own = self.own_files(args);
        let sources = SourceSet::read(&args.sources, &own, context, notices)?;
        Ok(sources.with_aliases(aliases.unwrap_or_default()))
    }

    fn claims(&self, args: &VerifyArgs, sources: &SourceSet) -> Result<AnswerClaims, CommandError> {
        match self {
            Self::Answer(answer) => Ok(AnswerClaims::from_answer(answer, args.quotes, sources)),
            Self::Citations(path) => AnswerClaims::from_file(path),
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &VerifyArgs) -> Result<(), CommandError> {
    if args.sources.is_empty() {
        return Err(CommandError::Usage(
            "no sources to check against; name at least one with --source FILE",
        ));
    }
    if args.answer.is_some() && args.citations.is_some() {
        return Err(CommandError::Usage(
            "both an answer and --citations were given; leave out one of them",
        ));
    }
    let context = ReaderContext::new(&args.reader)?;
    check_given(&args.sources)?;
    let answer = args
        .answer
        .as_deref()
        .filter(|path| path.as_os_str() != "-");
    if args.watch {
        let (Some(answer), VerifyFormat::Text, None) = (answer, args.format, &args.output) else {
            return Err(CommandError::Usage(
                "--watch needs the answer as a file and works with --format text only",
            ));
        };
        return watch::run(args, answer, &context);
    }
    let input = VerifyInput::read(args, &context)?;
    output::check(args, &input)?;
    let mut source_notices = Vec::new();
    let sources = input.read_sources(args, &context, &mut source_notices)?;
    let claims = input.claims(args, &sources)?;
    let mut notices = claims.notices.clone();
    notices.extend(source_notices);
    let checked = check_all(&claims.claims, &sources, &mut notices);
    print_notices(args, &claims, &notices);
    let report = html::HtmlReport {
        answer: input.path(),
        claims: &claims,
        checked: &checked,
        sources: &sources,
        notices: &notices,
    };
    print_report(args, &report, &input, &context)?;
    exit_result(args, &checked, &notices)
}

/// Prints the report in the chosen format.
fn print_report(
    args: &VerifyArgs,
    report: &html::HtmlReport<'_>,
    input: &VerifyInput<'_>,
    context: &ReaderContext,
) -> Result<(), CommandError> {
    let (checked, notices) = (report.checked, report.notices);
    let names = match args.names {
        NamesFormat::G2 => SdkVersion::V2,
        NamesFormat::G3 => SdkVersion::V3,
    };
    let mut out = output::open(args)?;
    match args.format {
        VerifyFormat::Text => table::print(checked, &mut out),
        VerifyFormat::Html => report.print(context, &mut out),
        VerifyFormat::Markdown => markdown::print(checked, &mut out),
        VerifyFormat::Json => json::print(checked, notices, names, &mut out),
        VerifyFormat::Sarif => sarif::print(report.answer, checked, notices, &mut out),
        VerifyFormat::Junit => {
            let is_accepted = |citation: &CheckedCitation| is_accepted(args, citation);
            junit::print(checked, notices, is_accepted, &mut out)
        }
        VerifyFormat::Docx => docx_report::print(input, report, &mut out),
    }
}

/// Prints the notices to stderr. Those that make the command fail are errors, which are never suppressed.
fn print_notices(args: &VerifyArgs, claims: &AnswerClaims, notices: &[VerifyNotice]) {
    if claims.claims.is_empty() {
        let message = "the answer contains no citations; nothing was checked";
        match args.require_citations {
            true => print_error(message),
            false => warn(message),
        }
    }
    for notice in notices.iter().take(MAX_NOTICES) {
        match notice.is_error() {
            true => print_error(&notice.message),
            false => warn(&notice.message),
        }
    }
    if let Some(more) = notices
        .len()
        .checked_sub(MAX_NOTICES)
        .filter(|more| *more > 0)
    {
        let message = format!("… and {more} more warnings; --format json lists all");
        match notices[MAX_NOTICES..].iter().any(VerifyNotice::is_error) {
            true => print_error(&message),
            false => warn(&message),
        }
    }
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
    let has_unread_source = notices.iter().any(VerifyNotice::is_error);
    let all_accepted = checked.iter().all(|citation| is_accepted(args, citation));
    if !all_accepted || has_unread_source || (checked.is_empty() && args.require_citations) {
        return Err(CommandError::Finding);
    }
    Ok(())
}
