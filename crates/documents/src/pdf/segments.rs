//! Segments: parts of lines without a gap that could be the space between two columns.

use super::glyphs::{GlyphRun, LineExtent, PageGlyphs, TextDirection};

/// A larger gap may be the space between columns, in em.
const COLUMN_GAP: f32 = 0.6;

/// A larger gap is one even if a space was drawn before it, in em.
const SPACED_GAP: f32 = 1.5;

/// Letters of a line may overlap by as much, in em: small capitals are moved below a larger letter, and
/// wide punctuation marks into each other.
const OVERLAP: f32 = 0.55;

/// A part of a line.
#[derive(Debug, Clone)]
pub(super) struct LineSegment {
    pub(super) extent: LineExtent,
    /// Where the line stands, across.
    pub(super) base: f32,
    /// The size of its largest letters, but for a few.
    pub(super) size: f32,
    /// How many glyphs it has.
    pub(super) glyphs: u32,
    /// Whether all of it is bold.
    pub(super) is_bold: bool,
    /// Its pieces from start to end, as places in [`PageGlyphs::pieces`].
    pub(super) pieces: Vec<u32>,
}

impl LineSegment {
    fn new(at: u32, piece: &GlyphRun) -> Self {
        Self {
            extent: piece.extent,
            base: piece.base,
            size: piece.size,
            glyphs: piece.glyphs.end - piece.glyphs.start,
            is_bold: piece.bold,
            pieces: vec![at],
        }
    }

    fn push(&mut self, at: u32, piece: &GlyphRun) {
        self.extent.cover(&piece.extent);
        // The line stands where its largest letters stand, not where an exponent does.
        if piece.size > self.size * 1.05 {
            (self.base, self.size) = (piece.base, piece.size);
        }
        self.glyphs += piece.glyphs.end - piece.glyphs.start;
        self.is_bold &= piece.bold;
        self.pieces.push(at);
    }

    /// Takes base and size of the letters that most of it is set in: a large first letter does not count,
    /// nor does a bullet, wherever it stands.
    fn settle(&mut self, glyphs: &PageGlyphs) {
        let length = |piece: &&GlyphRun| piece.glyphs.end - piece.glyphs.start;
        let pieces = || self.pieces.iter().map(|at| &glyphs.pieces[*at as usize]);
        let is_largest = |piece: &&GlyphRun| piece.size > 0.95 * self.size;
        let large: u32 = pieces().filter(is_largest).map(|p| length(&p)).sum();
        if large * 4 >= self.glyphs {
            return;
        }
        let mut text = pieces().skip_while(is_largest);
        let first = text.clone().next();
        let last = pieces().take_while(is_largest).last();
        let is_bullet = large < 3
            && text.all(|piece| !is_largest(&piece))
            && (first.zip(last)).is_some_and(|(first, bullet)| {
                first.extent.start - bullet.extent.end > 0.25 * first.size
            });
        let at_base = |piece: &&GlyphRun| (piece.base - self.base).abs() < 0.1 * self.size;
        let rest = pieces().filter(|piece| !is_largest(piece) && (is_bullet || at_base(piece)));
        if let Some(longest) = rest.max_by_key(length) {
            (self.base, self.size) = (longest.base, longest.size);
        }
    }

    fn append(&mut self, mut other: Self) {
        self.extent.cover(&other.extent);
        if other.size > self.size * 1.05 {
            (self.base, self.size) = (other.base, other.size);
        }
        self.glyphs += other.glyphs;
        self.is_bold &= other.is_bold;
        self.pieces.append(&mut other.pieces);
    }
}

/// The segments of the pieces that run in one direction.
pub(super) fn segments(glyphs: &PageGlyphs, direction: TextDirection) -> Vec<LineSegment> {
    let mut segments: Vec<LineSegment> = Vec::new();
    let mut last: Option<&GlyphRun> = None;
    for (at, piece) in glyphs.pieces.iter().enumerate() {
        if piece.direction != direction {
            continue;
        }
        let at = at as u32;
        match (segments.last_mut(), last) {
            (Some(segment), Some(last)) if follows(last, piece) => segment.push(at, piece),
            _ => segments.push(LineSegment::new(at, piece)),
        }
        last = Some(piece);
    }
    joined(glyphs, segments)
}

/// Whether a piece goes on where the one drawn before it ended.
fn follows(last: &GlyphRun, piece: &GlyphRun) -> bool {
    let size = last.size.max(piece.size);
    let gap = piece.extent.start - last.extent.end;
    let most = if last.spaced { SPACED_GAP } else { COLUMN_GAP };
    gap > -OVERLAP * size && gap < most * size && last.extent.shared_height(&piece.extent) > 0.5
}

/// Joins segments that stand side by side on a line, though they were not drawn in that order.
fn joined(glyphs: &PageGlyphs, mut segments: Vec<LineSegment>) -> Vec<LineSegment> {
    segments.sort_by(|a, b| a.base.total_cmp(&b.base));
    let mut joined: Vec<LineSegment> = Vec::with_capacity(segments.len());
    let mut rest = segments.into_iter().peekable();
    let mut row: Vec<LineSegment> = Vec::new();
    while let Some(first) = rest.next() {
        let (base, size) = (first.base, first.size);
        row.push(first);
        while let Some(next) = rest.next_if(|next| next.base - base < 0.2 * size.min(next.size)) {
            row.push(next);
        }
        row.sort_by(|a, b| a.extent.start.total_cmp(&b.extent.start));
        let begins = joined.len();
        for segment in row.drain(..) {
            match joined[begins..].last_mut() {
                Some(last) if is_repeated(glyphs, last, &segment) => {}
                Some(last) if touches(last, &segment) => last.append(segment),
                _ => joined.push(segment),
            }
        }
    }
    for segment in &mut joined {
        segment.settle(glyphs);
    }
    joined.sort_by(|a, b| a.base.total_cmp(&b.base));
    with_small_ones(glyphs, joined)
}

/// How many neighbours of a small segment are looked at.
const NEIGHBOURS: usize = 24;

/// Joins what stands a little above or below a line, and within it, to that line: letters of a logo, or
/// one within a circle. The segments are sorted by line.
fn with_small_ones(glyphs: &PageGlyphs, segments: Vec<LineSegment>) -> Vec<LineSegment> {
    let is_small = |segment: &LineSegment| segment.glyphs <= 3;
    let mut host: Vec<Option<usize>> = vec![None; segments.len()];
    for (at, small) in segments.iter().enumerate() {
        if !is_small(small) {
            continue;
        }
        let first = at.saturating_sub(NEIGHBOURS);
        let near = segments[first..].iter().take(2 * NEIGHBOURS + 1);
        let best = near.enumerate().filter(|(index, line)| {
            first + index != at
                && !is_small(line)
                && (line.base - small.base).abs() < 0.4 * line.size
                && small.size < 1.05 * line.size
                && line.extent.start < small.extent.start + 0.1 * line.size
                && small.extent.end < line.extent.end + 0.1 * line.size
        });
        let distance = |line: &LineSegment| (line.base - small.base).abs();
        host[at] = best
            .min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)))
            .map(|(index, _)| first + index);
    }
    if host.iter().all(Option::is_none) {
        return segments;
    }
    let mut segments: Vec<Option<LineSegment>> = segments.into_iter().map(Some).collect();
    for (at, host) in host.iter().enumerate() {
        if let Some(host) = host
            && let Some(small) = segments[at].take()
            && let Some(line) = &mut segments[*host]
        {
            line.append(small);
        }
    }
    let mut hosts: Vec<usize> = host.into_iter().flatten().collect();
    hosts.sort_unstable();
    hosts.dedup();
    for line in hosts {
        if let Some(line) = &mut segments[line] {
            line.pieces.sort_by(|a, b| {
                let start = |at: &u32| glyphs.pieces[*at as usize].extent.start;
                start(a).total_cmp(&start(b))
            });
        }
    }
    segments.into_iter().flatten().collect()
}

fn touches(left: &LineSegment, right: &LineSegment) -> bool {
    let size = left.size.max(right.size);
    let gap = right.extent.start - left.extent.end;
    gap > -OVERLAP * size && gap < COLUMN_GAP * size
}

/// Whether the same was drawn twice, to make it bolder or to give it a shadow.
fn is_repeated(glyphs: &PageGlyphs, first: &LineSegment, second: &LineSegment) -> bool {
    let near = |a: f32, b: f32| (a - b).abs() < 0.15 * first.size;
    let letters = |segment: &LineSegment| {
        let pieces = segment.pieces.clone();
        pieces.into_iter().flat_map(|at| {
            let range = &glyphs.pieces[at as usize].glyphs;
            range.start..range.end
        })
    };
    near(first.extent.start, second.extent.start)
        && near(first.extent.end, second.extent.end)
        && first.glyphs == second.glyphs
        && letters(first).zip(letters(second)).all(|(a, b)| {
            let (a, b) = (&glyphs.all[a as usize], &glyphs.all[b as usize]);
            glyphs.letters(a) == glyphs.letters(b)
        })
}
