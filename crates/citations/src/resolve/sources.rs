//! Documents that a citation means.

use documents::ContentId;

use crate::check::Verdict;
use crate::citation::Citation;
use crate::status::VerificationStatus;

/// Document that a citation may mean, with everything it can be named by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SourceCandidate<'a> {
    /// Hash of the content.
    pub document_id: Option<ContentId>,
    /// Attachment id, or the id given on the command line.
    pub attachment_id: Option<&'a str>,
    /// Name of the file, without folders.
    pub file_name: Option<&'a str>,
    /// Title in the document.
    pub title: Option<&'a str>,
    /// Address from which it was fetched.
    pub url: Option<&'a str>,
    /// Path of the file.
    pub path: Option<&'a str>,
    /// Position from 1 in the list that the model was given; `None` if it was not in that list.
    pub index: Option<u64>,
}

/// Source that a citation names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceQuery<'a> {
    /// Names, the most specific first.
    names: Vec<&'a str>,
    /// Position from 1 in the list that the model was given.
    index: Option<u64>,
    /// True if the names are those of another program, which may call a document as it likes.
    is_foreign: bool,
}

/// Candidates in which to check a citation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceMatch {
    /// The citation names no source: check it in all candidates.
    Unnamed,
    /// The citation means these candidates, by position: check it there only.
    Named(Vec<usize>),
    /// The citation names a source that is not among the candidates.
    Missing,
    /// The citation has foreign names that fit no candidate: check it in all of them. A quote that is in
    /// none of them has a missing source, see [`SourceMatch::conclude`].
    Unknown,
}

impl<'a> SourceQuery<'a> {
    /// Returns the source that a citation names by its attachment id, or else by the URL of its web page.
    ///
    /// `document_index` is the index of citation blocks in the style of Anthropic's API, which counts from 0.
    pub fn new(citation: &'a Citation, document_index: Option<u64>) -> Self {
        let url = || citation.web.as_ref()?.url.as_deref();
        let attachment = citation.attachment_id.as_deref();
        let name = attachment
            .filter(|name| !name.is_empty())
            .or_else(url)
            .filter(|name| !name.is_empty());
        Self {
            names: name.into_iter().collect(),
            index: document_index.map(|index| index.saturating_add(1)),
            is_foreign: false,
        }
    }

    /// Adds names that another program uses for the source, such as ids of its own.
    pub fn with_foreign_names(mut self, names: &'a [String]) -> Self {
        let names = names.iter().map(String::as_str);
        for name in names.filter(|name| !name.is_empty()) {
            self.is_foreign = true;
            if !self.names.contains(&name) {
                self.names.push(name);
            }
        }
        self
    }

    /// Names, the most specific first.
    pub fn names(&self) -> &[&'a str] {
        &self.names
    }

    /// Returns true if the citation says nothing about its source.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.index.is_none()
    }

    /// Finds the candidates that are meant.
    ///
    /// Ids are compared first, then other names exactly, then ignoring case and separators, then ignoring
    /// the extension as well. The first comparison that fits decides; all candidates that it fits are
    /// meant. A citation whose name fits none may still give an index: as a number, or beside its name.
    pub fn find(&self, candidates: &[SourceCandidate<'_>]) -> SourceMatch {
        if self.is_empty() {
            return SourceMatch::Unnamed;
        }
        for comparison in NameComparison::ALL {
            for name in &self.names {
                let name = ComparedName::new(name);
                let fits = |(at, candidate)| name.fits(candidate, comparison).then_some(at);
                let found: Vec<usize> = candidates.iter().enumerate().filter_map(fits).collect();
                if !found.is_empty() {
                    return SourceMatch::Named(found);
                }
            }
        }
        let listed = |index: u64| {
            let mut candidates = candidates.iter();
            candidates.position(|candidate| candidate.index == Some(index))
        };
        match self.index.or_else(|| self.number()).and_then(listed) {
            Some(at) => SourceMatch::Named(vec![at]),
            None if self.is_foreign => SourceMatch::Unknown,
            None => SourceMatch::Missing,
        }
    }

    /// Reads the name as a number. Numbers of another program count something else.
    fn number(&self) -> Option<u64> {
        let name = self.names.first().filter(|_| !self.is_foreign)?;
        name.trim().parse().ok()
    }
}

impl SourceMatch {
    /// Returns the verdict on a citation, given the best verdict of the candidates that were checked.
    pub fn conclude(&self, citation: &Citation, best: Option<Verdict>) -> Verdict {
        match (self, best) {
            (Self::Missing, _) => Verdict::source_missing(citation),
            (Self::Unknown, Some(verdict)) if verdict.status() == VerificationStatus::NotFound => {
                Verdict::source_missing(citation)
            }
            (_, Some(verdict)) => verdict,
            (Self::Unnamed, None) => Verdict::skipped(citation),
            (Self::Named(_) | Self::Unknown, None) => Verdict::source_missing(citation),
        }
    }
}

/// Strictness of a comparison of names.
#[derive(Debug, Clone, Copy)]
enum NameComparison {
    Id,
    Exact,
    WithoutSeparators,
    WithoutExtension,
}

impl NameComparison {
    const ALL: [Self; 4] = [
        Self::Id,
        Self::Exact,
        Self::WithoutSeparators,
        Self::WithoutExtension,
    ];
}

/// Name of a source in the forms that are compared.
struct ComparedName<'a> {
    name: &'a str,
    document_id: Option<ContentId>,
}

impl<'a> ComparedName<'a> {
    fn new(name: &'a str) -> Self {
        Self {
            name,
            document_id: name.parse().ok(),
        }
    }

    fn fits(&self, candidate: &SourceCandidate<'_>, comparison: NameComparison) -> bool {
        let names = [
            candidate.attachment_id,
            candidate.file_name,
            candidate.title,
            candidate.url,
            candidate.path,
        ];
        let mut names = names.into_iter().flatten();
        match comparison {
            NameComparison::Id => {
                candidate.attachment_id == Some(self.name)
                    || (self.document_id.is_some() && self.document_id == candidate.document_id)
            }
            NameComparison::Exact => names.any(|name| name == self.name),
            NameComparison::WithoutSeparators => names.any(|name| is_same(name, self.name)),
            NameComparison::WithoutExtension => names
                .any(|name| is_same(stem(name), self.name) || is_same(stem(name), stem(self.name))),
        }
    }
}

/// Compares the letters and digits of two names, ignoring case. Names without any are never the same.
fn is_same(one: &str, other: &str) -> bool {
    let mut letters = letters(one).peekable();
    letters.peek().is_some() && letters.eq(self::letters(other))
}

fn letters(name: &str) -> impl Iterator<Item = char> {
    name.chars()
        .filter(|char| char.is_alphanumeric())
        .flat_map(char::to_lowercase)
}

/// Returns a name without its extension: up to five letters and digits after the last dot, not only digits.
fn stem(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, extension))
            if !stem.is_empty()
                && (1..=5).contains(&extension.len())
                && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
                && !extension.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            stem
        }
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::citation::WebSource;

    const HARBOUR: SourceCandidate<'_> = SourceCandidate {
        document_id: None,
        attachment_id: Some("Kq3"),
        file_name: Some("Harbour Log.v2.pdf"),
        title: Some("The harbour of Nordvik"),
        url: Some("https://nordvik.example/log.pdf"),
        path: Some("files/Harbour Log.v2.pdf"),
        index: Some(1),
    };

    fn candidates() -> [SourceCandidate<'static>; 3] {
        [
            SourceCandidate {
                document_id: Some(ContentId::of(b"harbour")),
                ..HARBOUR
            },
            SourceCandidate {
                attachment_id: Some("tides"),
                file_name: Some("tides-2024.txt"),
                index: Some(2),
                ..SourceCandidate::default()
            },
            SourceCandidate {
                attachment_id: Some("old"),
                file_name: Some("Tides 2024.md"),
                index: Some(3),
                ..SourceCandidate::default()
            },
        ]
    }

    fn found(name: &str, document_index: Option<u64>) -> SourceMatch {
        let citation = Citation {
            attachment_id: Some(name.to_owned()),
            ..Citation::default()
        };
        SourceQuery::new(&citation, document_index).find(&candidates())
    }

    #[test]
    fn a_source_is_named_by_id_name_title_path_or_url() {
        let content = ContentId::of(b"harbour").to_string();
        for name in [
            "Kq3",
            &content,
            "Harbour Log.v2.pdf",
            "The harbour of Nordvik",
            "https://nordvik.example/log.pdf",
            "files/Harbour Log.v2.pdf",
        ] {
            assert_eq!(found(name, None), SourceMatch::Named(vec![0]), "{name}");
        }
    }

    #[test]
    fn names_are_compared_ignoring_case_separators_and_extension() {
        for (name, expected) in [
            ("harbour_log.v2.PDF", vec![0]),
            ("harbour-log.v2", vec![0]),
            ("THE HARBOUR OF NORDVIK", vec![0]),
            ("kq3", vec![0]),
            ("tides-2024.txt", vec![1]),
            ("Tides_2024.txt", vec![1]),
            ("tides 2024", vec![1, 2]),
            ("tides2024.docx", vec![1, 2]),
        ] {
            assert_eq!(found(name, None), SourceMatch::Named(expected), "{name}");
        }
        for name in ["harbour", "tides-2025.txt", "files", "---", "log.pdf"] {
            assert_eq!(found(name, None), SourceMatch::Missing, "{name}");
        }
    }

    #[test]
    fn an_index_counts_from_one_and_that_of_a_block_from_zero() {
        assert_eq!(found("2", None), SourceMatch::Named(vec![1]));
        assert_eq!(found("0", None), SourceMatch::Missing);
        assert_eq!(found("A law", Some(1)), SourceMatch::Named(vec![1]));
        assert_eq!(found("Kq3", Some(1)), SourceMatch::Named(vec![0]));
        assert_eq!(found("A law", Some(3)), SourceMatch::Missing);
        let unnamed = Citation::default();
        let query = SourceQuery::new(&unnamed, Some(2));
        assert_eq!(query.find(&candidates()), SourceMatch::Named(vec![2]));
        let unlisted = candidates().map(|candidate| SourceCandidate {
            index: None,
            ..candidate
        });
        assert_eq!(query.find(&unlisted), SourceMatch::Missing);
    }

    #[test]
    fn a_citation_without_a_source_is_checked_everywhere() {
        let unnamed = Citation::default();
        let query = SourceQuery::new(&unnamed, None);
        assert_eq!(query.find(&candidates()), SourceMatch::Unnamed);
        assert_eq!(found("", None), SourceMatch::Unnamed);
        let skipped = SourceMatch::Unnamed.conclude(&unnamed, None);
        assert_eq!(skipped.status(), VerificationStatus::Skipped);
    }

    #[test]
    fn a_web_page_is_named_by_its_url() {
        let page = |url: &str| Citation {
            web: Some(Box::new(WebSource {
                url: Some(url.to_owned()),
                ..WebSource::default()
            })),
            ..Citation::default()
        };
        let log = page("https://nordvik.example/log.pdf");
        let query = SourceQuery::new(&log, None);
        assert_eq!(query.find(&candidates()), SourceMatch::Named(vec![0]));
        let other = page("https://nordvik.example/");
        let query = SourceQuery::new(&other, None);
        assert_eq!(query.find(&candidates()), SourceMatch::Missing);
    }

    #[test]
    fn unknown_foreign_names_are_searched_everywhere() {
        let citation = Citation {
            attachment_id: Some("2".to_owned()),
            ..Citation::default()
        };
        let query = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            let query = SourceQuery::new(&citation, None).with_foreign_names(&names);
            query.find(&candidates())
        };
        assert_eq!(query(&["chunk-7", "tides"]), SourceMatch::Named(vec![1]));
        assert_eq!(query(&["chunk-7"]), SourceMatch::Unknown);
        let verdict = |status| {
            let mut verdict = Verdict::default();
            verdict.verification.status = Some(status);
            verdict
        };
        let missed = verdict(VerificationStatus::NotFound);
        let missed = SourceMatch::Unknown.conclude(&citation, Some(missed));
        assert!(missed.verification.is_source_missing());
        let partial = verdict(VerificationStatus::PartialTextFound);
        let partial = SourceMatch::Unknown.conclude(&citation, Some(partial));
        assert!(!partial.verification.is_source_missing());
    }
}
