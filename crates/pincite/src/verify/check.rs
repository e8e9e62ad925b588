//! Check of every citation against its sources.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use citations::check::{CitationChecker, Verdict};
use citations::resolve::{SourceMatch, SourceQuery, best_verdict};
use citations::{Citation, DisplayState, SOURCE_MISSING};

use super::VerifyNotice;
use super::answer::AnswerClaim;
use super::sources::{SourceFile, SourceSet, is_source_id};
use crate::progress::ProgressLine;

/// A citation with its verdict.
pub(super) struct CheckedCitation {
    pub(super) claim: AnswerClaim,
    pub(super) verdict: Verdict,
    /// Id of the source with the best match.
    pub(super) source: Option<String>,
    /// Position of that source on the command line, from 0.
    pub(super) number: Option<u64>,
}

impl CheckedCitation {
    pub(super) fn state(&self) -> DisplayState {
        self.verdict.status().state()
    }

    /// Returns true if the citation names a source that does not exist.
    pub(super) fn is_source_missing(&self) -> bool {
        self.verdict.verification.is_source_missing()
    }

    /// Returns the difference in meaning or the doubtful word that explains the verdict.
    pub(super) fn reason(&self) -> Option<String> {
        let difference = self.verdict.difference;
        let difference = difference.map(|difference| difference.as_str().to_owned());
        difference.or_else(|| self.verdict.doubt.as_ref().map(ToString::to_string))
    }

    /// Returns the result in words, such as "partly found".
    pub(super) fn words(&self) -> &'static str {
        match self.is_source_missing() {
            true => SOURCE_MISSING,
            false => self.verdict.status().words(),
        }
    }
}

/// Checks all citations on several threads. The results have the order of the claims.
pub(super) fn check_all(
    claims: &[AnswerClaim],
    sources: &SourceSet,
    notices: &mut Vec<VerifyNotice>,
) -> Vec<CheckedCitation> {
    let next = AtomicUsize::new(0);
    let progress = Mutex::new(ProgressLine::new("citations checked", claims.len()));
    let done = Mutex::new(HashMap::new());
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers.min(claims.len()) {
            scope.spawn(|| {
                let mut worker = CheckWorker::default();
                let mut mine = Vec::new();
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(claim) = claims.get(at) else {
                        break;
                    };
                    mine.push((at, worker.check(claim, sources)));
                    if let Ok(mut progress) = progress.try_lock() {
                        progress.reach(at + 1);
                    }
                }
                if let Ok(mut done) = done.lock() {
                    done.extend(mine);
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_default();
    let checked: Vec<CheckedCitation> = (0..claims.len())
        .filter_map(|at| {
            let (citation, own): (CheckedCitation, Vec<VerifyNotice>) = done.remove(&at)?;
            notices.extend(own);
            Some(citation)
        })
        .collect();
    checked
}

/// State of one thread: checkers are expensive to create and are reused.
#[derive(Default)]
struct CheckWorker<'a> {
    checkers: HashMap<*const SourceFile, CitationChecker<'a>>,
}

impl<'a> CheckWorker<'a> {
    /// Checks a claim in the sources that it names. The best result counts.
    fn check(
        &mut self,
        claim: &AnswerClaim,
        sources: &'a SourceSet,
    ) -> (CheckedCitation, Vec<VerifyNotice>) {
        let first = self.check_source(claim, sources);
        let others = claim.alternatives.iter().map(|other| AnswerClaim {
            citation: other.citation.clone(),
            source_name: other.source_name.clone(),
            ..claim.clone()
        });
        others.fold(first, |best, other| {
            let checked = self.check_source(&other, sources);
            match checked.0.verdict.rank() < best.0.verdict.rank() {
                true => checked,
                false => best,
            }
        })
    }

    fn check_source(
        &mut self,
        claim: &AnswerClaim,
        sources: &'a SourceSet,
    ) -> (CheckedCitation, Vec<VerifyNotice>) {
        let mut notices = Vec::new();
        let citation = &claim.citation;
        let named = with_source_name(claim, sources);
        let query = SourceQuery::new(&named, claim.source);
        let found = sources.find(&query);
        let chosen: Vec<&SourceFile> = match &found {
            SourceMatch::Named(found) => found.iter().map(|at| &sources.all()[*at]).collect(),
            SourceMatch::Unnamed | SourceMatch::Unknown => sources.all().iter().collect(),
            SourceMatch::Missing => Vec::new(),
        };
        let checkers = &mut self.checkers;
        let best = best_verdict(chosen.into_iter().map(|source| {
            let checker = checkers
                .entry(source)
                .or_insert_with(|| CitationChecker::new(&source.document));
            (checker.check(citation), source)
        }));
        let (best, source) = best.unzip();
        let verdict = match (&found, best) {
            // At least one source was given, but none could be read.
            (SourceMatch::Unnamed, None) => Verdict::source_missing(citation),
            (found, best) => found.conclude(citation, best),
        };
        let number = source.map(|source| source.number);
        let source = source.map(|source| source.id.clone());
        if verdict.verification.is_source_missing() {
            notices.push(missing_source(
                claim,
                sources,
                query.names().first().copied(),
            ));
        }
        if let Some(page) = &verdict.page_outside {
            let source = source.as_deref().unwrap_or("the source");
            notices.push(page_outside(claim, source, page));
        }
        let citation = CheckedCitation {
            claim: claim.clone(),
            verdict,
            source,
            number,
        };
        (citation, notices)
    }
}

/// Returns the citation with the name under which its source was given, if it uses another one.
fn with_source_name<'c>(claim: &'c AnswerClaim, sources: &SourceSet) -> Cow<'c, Citation> {
    let written = claim.citation.attachment_id.as_deref();
    let alias = || written.and_then(|name| sources.alias(name));
    match claim.source_name.as_deref().or_else(alias) {
        Some(name) => Cow::Owned(Citation {
            attachment_id: Some(name.to_owned()),
            ..claim.citation.clone()
        }),
        None => Cow::Borrowed(&claim.citation),
    }
}

fn missing_source(claim: &AnswerClaim, sources: &SourceSet, name: Option<&str>) -> VerifyNotice {
    let written = claim.citation.attachment_id.as_deref();
    let alias = written.filter(|name| sources.alias(name).is_some());
    let message = match (name, alias, claim.source) {
        (Some(name), Some(alias), _) => {
            format!(
                "'{alias}' means {name}, which is not among the sources; add it with --source {name}"
            )
        }
        (Some(name), None, _) if is_source_id(name) => {
            format!("unknown source '{name}'; add it with --source {name}=FILE")
        }
        (Some(name), None, _) => format!(
            "unknown source '{name}'; add it with --source, and name its file in a file for --aliases"
        ),
        (None, _, Some(index)) => format!(
            "the citation names source number {}, which was not given; add it with --source",
            index.saturating_add(1)
        ),
        (None, _, None) => "none of the sources could be read".to_owned(),
    };
    VerifyNotice::new("source_missing", message)
        .with("key", claim.key.as_str())
        .with("attachmentId", written.or(name).unwrap_or_default())
}

fn page_outside(claim: &AnswerClaim, source: &str, page: &str) -> VerifyNotice {
    let key = claim.key.as_str();
    let message = format!("citation '{key}' names page {page}, but {source} has no such page");
    let notice = VerifyNotice::new("page_outside", message).with("key", key);
    match page.parse::<usize>() {
        Ok(number) => notice.with("pageNumber", number),
        Err(_) => notice.with("pageLabel", page),
    }
}
