//! Data blocks: the JSON with the citations of an answer.

use std::collections::{HashMap, HashSet};

use super::block_scanner::{BlockScanner, ScanSink, ScanStep, ScannedKind};
use super::entry::{EntryFields, under_other_names};
use super::tokens::ClosedObject;
use super::{CitationForm, InputBuffer, ParsedCitation, reference_repair};
use crate::citation::Citation;
use crate::key::CitationKey;
use crate::problem::{Problem, ProblemReason};

/// Most bytes without a complete entry in a data block.
pub(crate) const LONGEST_BLOCK: usize = 1 << 20;

/// Citation or problem of a block.
pub(crate) enum BlockOutcome {
    Citation(Box<ParsedCitation>),
    Problem(Problem),
}

/// Receiver of citations and problems.
type Report<'a> = dyn FnMut(BlockOutcome) + 'a;

/// Entries of a block that were read so far.
#[derive(Debug)]
struct BlockEntries {
    /// Offset after the last complete entry.
    complete: usize,
    keys: Vec<CitationKey>,
    /// Entries that wait for the end of the block, because a repair could change them.
    deferred: Vec<ParsedCitation>,
    deferring: bool,
    problems: usize,
}

impl BlockEntries {
    fn problem(&mut self, offset: usize, reason: ProblemReason, out: &mut Report<'_>) {
        self.problems += 1;
        out(BlockOutcome::Problem(Problem { offset, reason }));
    }

    fn cite(&mut self, found: Box<ParsedCitation>, out: &mut Report<'_>) {
        self.keys.push(found.key);
        out(BlockOutcome::Citation(found));
    }

    /// Reports the entries that waited.
    fn release(&mut self, out: &mut Report<'_>) {
        for found in std::mem::take(&mut self.deferred) {
            self.cite(Box::new(found), out);
        }
    }
}

/// Data block that has not ended.
#[derive(Debug)]
pub(crate) struct OpenBlock {
    scanner: BlockScanner,
    /// Offset of the start delimiter.
    pub(crate) start: usize,
    /// Offset of the content.
    content: usize,
    /// Offset at which the block is too long, unless an entry is complete by then.
    limit: usize,
    /// True if the first bytes were dropped.
    is_partly_dropped: bool,
    entries: BlockEntries,
}

/// State of a block after reading.
pub(crate) enum BlockProgress {
    /// More text is needed.
    More,
    /// The end delimiter is at this offset.
    Ended(usize),
    /// The block is too long and has no complete entry.
    TooLong,
    /// Everything before this offset was read and can be dropped.
    DropBefore(usize),
}

impl OpenBlock {
    pub(crate) fn new(start: usize, content: usize, plain_ends: bool) -> Self {
        Self {
            scanner: BlockScanner::new(ScannedKind::Block, content, plain_ends),
            start,
            content,
            limit: start + LONGEST_BLOCK,
            is_partly_dropped: false,
            entries: BlockEntries {
                complete: start,
                keys: Vec::new(),
                deferred: Vec::new(),
                deferring: true,
                problems: 0,
            },
        }
    }

    /// Reads all text that was received.
    pub(crate) fn run(
        &mut self,
        buffer: &InputBuffer,
        last: bool,
        out: &mut Report<'_>,
    ) -> BlockProgress {
        let end = buffer.boundary(self.limit);
        let mut sink = BlockSink {
            buffer,
            entries: &mut self.entries,
            out,
        };
        match self.scanner.run(buffer, end, last, &mut sink) {
            ScanStep::Delimiter(at) => return BlockProgress::Ended(at),
            ScanStep::More | ScanStep::Root(_) => {}
        }
        // Everything up to the limit was read, except for a character that the limit cuts.
        if self.scanner.at < end || buffer.end() < self.limit + 4 {
            return BlockProgress::More;
        }
        if !self.entries.deferred.is_empty() {
            self.entries.deferring = false;
            self.entries.release(out);
        }
        let complete = self.entries.complete;
        if complete > self.start {
            self.is_partly_dropped = true;
            self.scanner.forget_before(complete);
            self.start = complete;
            self.limit = complete + LONGEST_BLOCK;
            return BlockProgress::DropBefore(complete);
        }
        BlockProgress::TooLong
    }

    /// Returns the offset of an end delimiter inside of a string that never ended.
    pub(crate) fn skipped_end(&self) -> Option<usize> {
        self.scanner.skipped_end
    }

    /// Returns true if the content is prose that happens to follow a delimiter.
    pub(crate) fn is_prose(&self, buffer: &InputBuffer) -> bool {
        let first = buffer
            .slice(self.content, buffer.end())
            .trim_start()
            .bytes()
            .next();
        self.entries.keys.is_empty()
            && self.entries.deferred.is_empty()
            && !self.is_partly_dropped
            && first.is_some_and(|byte| !matches!(byte, b'{' | b'[' | b'`' | b'"' | b'<'))
    }

    /// Ends the block at an offset.
    pub(crate) fn end(&mut self, buffer: &InputBuffer, at: usize, out: &mut Report<'_>) {
        // A delimiter inside of a string ends the block before everything that was read after it.
        self.scanner.at = self.scanner.at.min(at);
        let mut sink = BlockSink {
            buffer,
            entries: &mut self.entries,
            out,
        };
        let lost = self.scanner.end(buffer, &mut sink);
        if let Some(offset) = lost {
            self.entries
                .problem(offset, ProblemReason::UnfinishedItem, out);
        }
        if let Some(offset) = self.scanner.too_deep {
            self.entries.problem(offset, ProblemReason::TooDeep, out);
        }
        let content = if self.is_partly_dropped {
            ""
        } else {
            buffer.slice(self.content, at)
        };
        let reference = match self.scanner.defect {
            Some(_) => reference_repair::read(content),
            None => None,
        };
        match reference {
            Some(reference) => self.adopt_repair(&reference, at, out),
            None => self.entries.release(out),
        }
        match self.scanner.defect {
            Some(offset) if !self.entries.keys.is_empty() => {
                self.entries.problem(offset, ProblemReason::MendedJson, out);
            }
            _ if self.entries.keys.is_empty()
                && self.entries.problems == 0
                && !self.scanner.is_blank() =>
            {
                let empty = content
                    .bytes()
                    .filter(|byte| !byte.is_ascii_whitespace())
                    .eq(*b"[]");
                if !empty {
                    self.entries
                        .problem(self.start, ProblemReason::EmptyBlock, out);
                }
            }
            _ => {}
        }
    }

    /// Adopts the citations of the SDK's repair: if it read other words, its words count.
    fn adopt_repair(&mut self, reference: &[Citation], end: usize, out: &mut Report<'_>) {
        let mut known: HashSet<CitationKey> = self.entries.keys.iter().copied().collect();
        known.extend(self.entries.deferred.iter().map(|found| found.key));
        let mut other: HashMap<u64, &Citation> = HashMap::new();
        let mut rest = Vec::new();
        for citation in reference {
            if known.insert(citation.key()) {
                match citation.marker() {
                    Some(number) if !other.contains_key(&number) => {
                        other.insert(number, citation);
                    }
                    _ => rest.push(citation),
                }
            }
        }
        let expected: HashSet<CitationKey> = reference.iter().map(Citation::key).collect();
        for mut found in std::mem::take(&mut self.entries.deferred) {
            if !expected.contains(&found.key)
                && let Some(mended) = found
                    .citation
                    .marker()
                    .and_then(|number| other.remove(&number))
            {
                found.key = mended.key();
                found.citation = mended.clone();
            }
            self.entries.deferred.push(found);
        }
        let mut left: Vec<&Citation> = other.into_values().chain(rest).collect();
        left.sort_by_key(|citation| citation.key());
        for citation in left {
            let found = ParsedCitation::new(citation.clone(), CitationForm::Block, self.start..end);
            self.entries.deferred.push(found);
        }
        self.entries.release(out);
    }
}

struct BlockSink<'a> {
    buffer: &'a InputBuffer,
    entries: &'a mut BlockEntries,
    out: &'a mut Report<'a>,
}

impl BlockSink<'_> {
    fn problem(&mut self, offset: usize, reason: ProblemReason) {
        self.entries.problem(offset, reason, self.out);
    }
}

impl ScanSink for BlockSink<'_> {
    fn object(&mut self, object: &ClosedObject<'_>) {
        let group = object.group.filter(|group| !group.is_empty());
        let owned = || group.map(str::to_owned);
        let offset = object.range.start;
        if !object.is_entry && (object.has_children || !object.is_in_list) {
            // The object is a group or an unknown member, unless it uses the names of JSON answers.
            if !object.has_children
                && !object.is_damaged
                && let Some(citation) = under_other_names(object, self.buffer, owned())
            {
                self.found(citation, object);
            }
            return;
        }
        self.entries.complete = object.range.end;
        if object.is_damaged {
            return self.problem(offset, ProblemReason::BadItem);
        }
        let item = EntryFields::from_object(object, self.buffer);
        if item.has_phrase() {
            return self.item(&item, object);
        }
        match under_other_names(object, self.buffer, owned()) {
            Some(citation) => self.found(citation, object),
            None => self.problem(offset, ProblemReason::NoPhrase),
        }
    }

    fn item(&mut self, item: &EntryFields<'_>, object: &ClosedObject<'_>) {
        let group = object.group.filter(|group| !group.is_empty());
        let mut found = Box::new(ParsedCitation::empty(
            CitationForm::Block,
            object.range.clone(),
        ));
        let odd = |reason| self.problem(object.range.start, reason);
        item.fill(&mut found.citation, group, odd);
        found.key = found.citation.key();
        self.add(found, object);
    }

    fn stray(&mut self, offset: usize) {
        self.problem(offset, ProblemReason::NotAnObject);
    }
}

impl BlockSink<'_> {
    fn found(&mut self, citation: Citation, object: &ClosedObject<'_>) {
        let found = ParsedCitation::new(citation, CitationForm::Block, object.range.clone());
        self.add(Box::new(found), object);
    }

    fn add(&mut self, found: Box<ParsedCitation>, object: &ClosedObject<'_>) {
        self.entries.complete = object.range.end;
        // A repair of the block may change the words of this entry.
        if object.is_doubtful && self.entries.deferring {
            self.entries.deferred.push(*found);
        } else {
            self.entries.cite(found, self.out);
        }
    }
}
