//! The inside of a data block.

use std::collections::{HashMap, HashSet};

use super::frame::Object;
use super::item::{Item, under_other_names};
use super::scan::{Flavour, Scanner, Sink, Step};
use super::{Buffer, Form, Found, repair};
use crate::citation::Citation;
use crate::key::Key;
use crate::problem::{Problem, Reason};

/// More bytes than this without a complete item are no block.
pub(crate) const LONGEST_BLOCK: usize = 1 << 20;

/// What came out of a block.
pub(crate) enum Outcome {
    Citation(Box<Found>),
    /// A citation whose words mending may change.
    Doubtful(Box<Found>),
    Problem(Problem),
}

/// An open data block.
#[derive(Debug)]
pub(crate) struct Block {
    scanner: Scanner,
    /// Offset of the start delimiter.
    pub(crate) start: usize,
    /// Offset of what stands in it.
    content: usize,
    /// Offset up to which it may reach before something has to happen.
    limit: usize,
    /// Offset after the last complete item.
    complete: usize,
    /// Whether part of its bytes is gone.
    partly_gone: bool,
    keys: Vec<Key>,
    /// Items whose reading depends on whether the rest of the block is clean.
    deferred: Vec<Found>,
    deferring: bool,
    problems: usize,
}

/// How it goes on with a block.
pub(crate) enum Progress {
    /// More text is needed.
    More,
    /// The end delimiter stands at this offset.
    Ended(usize),
    /// It is too long; nothing in it is worth keeping.
    TooLong,
    /// Everything before this offset has been read.
    LetGo(usize),
}

impl Block {
    pub(crate) fn new(start: usize, content: usize, plain_ends: bool) -> Self {
        Self {
            scanner: Scanner::new(Flavour::Block, content, plain_ends),
            start,
            content,
            limit: start + LONGEST_BLOCK,
            complete: start,
            partly_gone: false,
            keys: Vec::new(),
            deferred: Vec::new(),
            deferring: true,
            problems: 0,
        }
    }

    /// Reads on.
    pub(crate) fn run(&mut self, buffer: &Buffer, last: bool, out: &mut Vec<Outcome>) -> Progress {
        let end = buffer.boundary(self.limit);
        let mut sink = BlockSink {
            buffer,
            out,
            complete: self.complete,
        };
        let from = sink.out.len();
        let step = self.scanner.run(buffer, end, last, &mut sink);
        self.complete = sink.complete;
        self.settle(out, from);
        match step {
            Step::Delimiter(at) => return Progress::Ended(at),
            Step::More | Step::Root(_) => {}
        }
        // Short of a character that the limit cuts, everything up to it has been read.
        if self.scanner.at < end || buffer.end() < self.limit + 4 {
            return Progress::More;
        }
        if !self.deferred.is_empty() {
            self.deferring = false;
            self.release(out);
        }
        if self.complete > self.start {
            self.partly_gone = true;
            self.scanner.forget_before(self.complete);
            self.start = self.complete;
            self.limit = self.complete + LONGEST_BLOCK;
            return Progress::LetGo(self.complete);
        }
        Progress::TooLong
    }

    /// Keeps back what may still change, and the keys of what may not.
    fn settle(&mut self, out: &mut Vec<Outcome>, from: usize) {
        let mut doubtful = false;
        for outcome in &out[from..] {
            match outcome {
                Outcome::Citation(found) => self.keys.push(found.key),
                Outcome::Doubtful(found) if !self.deferring => self.keys.push(found.key),
                Outcome::Doubtful(_) => doubtful = true,
                Outcome::Problem(_) => self.problems += 1,
            }
        }
        if !doubtful {
            return;
        }
        for outcome in out.split_off(from) {
            match outcome {
                Outcome::Doubtful(found) => self.deferred.push(*found),
                other => out.push(other),
            }
        }
    }

    fn release(&mut self, out: &mut Vec<Outcome>) {
        for found in self.deferred.drain(..) {
            self.keys.push(found.key);
            out.push(Outcome::Citation(Box::new(found)));
        }
    }

    /// Where an end delimiter stood inside a string, if the string never ended.
    pub(crate) fn skipped_end(&self) -> Option<usize> {
        self.scanner.skipped_end
    }

    /// Whether it looks like prose that happens to hold the delimiter.
    pub(crate) fn is_prose(&self, buffer: &Buffer) -> bool {
        let first = buffer
            .slice(self.content, buffer.end())
            .trim_start()
            .bytes()
            .next();
        self.keys.is_empty()
            && self.deferred.is_empty()
            && !self.partly_gone
            && first.is_some_and(|byte| !matches!(byte, b'{' | b'[' | b'`' | b'"' | b'<'))
    }

    /// Ends the block at an offset.
    pub(crate) fn end(&mut self, buffer: &Buffer, at: usize, out: &mut Vec<Outcome>) {
        // A delimiter inside a string ends the block before what was read since.
        self.scanner.at = self.scanner.at.min(at);
        let mut sink = BlockSink {
            buffer,
            out,
            complete: self.complete,
        };
        let from = sink.out.len();
        let lost = self.scanner.end(buffer, &mut sink);
        self.settle(out, from);
        if let Some(offset) = lost {
            self.problem(offset, Reason::UnfinishedItem, out);
        }
        if let Some(offset) = self.scanner.too_deep {
            self.problem(offset, Reason::TooDeep, out);
        }
        let content = if self.partly_gone {
            ""
        } else {
            buffer.slice(self.content, at)
        };
        let reference = match self.scanner.defect {
            Some(_) => repair::read(content),
            None => None,
        };
        match reference {
            Some(reference) => self.follow(&reference, at, out),
            None => self.release(out),
        }
        match self.scanner.defect {
            Some(offset) if !self.keys.is_empty() => self.problem(offset, Reason::MendedJson, out),
            _ if self.keys.is_empty() && self.problems == 0 && !self.scanner.is_blank() => {
                let empty = content
                    .bytes()
                    .filter(|byte| !byte.is_ascii_whitespace())
                    .eq(*b"[]");
                if !empty {
                    self.problem(self.start, Reason::EmptyBlock, out);
                }
            }
            _ => {}
        }
    }

    fn problem(&mut self, offset: usize, reason: Reason, out: &mut Vec<Outcome>) {
        self.problems += 1;
        out.push(Outcome::Problem(Problem { offset, reason }));
    }

    /// The reference mended the block: where it arrived at other words, its words count.
    fn follow(&mut self, reference: &[Citation], end: usize, out: &mut Vec<Outcome>) {
        let mut known: HashSet<Key> = self.keys.iter().copied().collect();
        known.extend(self.deferred.iter().map(|found| found.key));
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
        let expected: HashSet<Key> = reference.iter().map(Citation::key).collect();
        for mut found in std::mem::take(&mut self.deferred) {
            if !expected.contains(&found.key)
                && let Some(mended) = found
                    .citation
                    .marker()
                    .and_then(|number| other.remove(&number))
            {
                found.key = mended.key();
                found.citation = mended.clone();
            }
            self.deferred.push(found);
        }
        let mut left: Vec<&Citation> = other.into_values().chain(rest).collect();
        left.sort_by_key(|citation| citation.key());
        for citation in left {
            self.deferred
                .push(Found::new(citation.clone(), Form::Block, self.start..end));
        }
        self.release(out);
    }
}

struct BlockSink<'a> {
    buffer: &'a Buffer,
    out: &'a mut Vec<Outcome>,
    complete: usize,
}

impl BlockSink<'_> {
    fn problem(&mut self, offset: usize, reason: Reason) {
        self.out.push(Outcome::Problem(Problem { offset, reason }));
    }
}

impl Sink for BlockSink<'_> {
    fn object(&mut self, object: &Object<'_>) {
        let group = object.group.filter(|group| !group.is_empty());
        let owned = || group.map(str::to_owned);
        let offset = object.range.start;
        if !object.item && (object.children || !object.in_list) {
            // A group or something in an unknown member, unless its names are others.
            if !object.children
                && !object.damaged
                && let Some(citation) = under_other_names(object, self.buffer, owned())
            {
                self.found(citation, object);
            }
            return;
        }
        self.complete = object.range.end;
        if object.damaged {
            return self.problem(offset, Reason::BadItem);
        }
        let item = Item::from_object(object, self.buffer);
        if item.has_phrase() {
            let mut found = Box::new(Found::empty(Form::Block, object.range.clone()));
            let odd = |reason| self.out.push(Outcome::Problem(Problem { offset, reason }));
            item.fill(&mut found.citation, group, odd);
            found.key = found.citation.key();
            return self.add(found, object);
        }
        match under_other_names(object, self.buffer, owned()) {
            Some(citation) => self.found(citation, object),
            None => self.problem(offset, Reason::NoPhrase),
        }
    }

    fn stray(&mut self, offset: usize) {
        self.problem(offset, Reason::NotAnObject);
    }
}

impl BlockSink<'_> {
    fn found(&mut self, citation: Citation, object: &Object<'_>) {
        let found = Found::new(citation, Form::Block, object.range.clone());
        self.add(Box::new(found), object);
    }

    fn add(&mut self, found: Box<Found>, object: &Object<'_>) {
        self.complete = object.range.end;
        self.out.push(match object.doubtful {
            true => Outcome::Doubtful(found),
            false => Outcome::Citation(found),
        });
    }
}
