//! Line segments: parts of lines without a gap that could be the space between two columns.

use super::glyphs::{GlyphRun, LineExtent, PageGlyphs, TextDirection};

/// Minimum gap between columns, in em.
const MIN_COLUMN_GAP: f32 = 0.6;

/// Minimum gap between columns if a space was drawn before it, in em.
const MIN_SPACED_COLUMN_GAP: f32 = 1.5;

/// Maximum overlap of letters of a line, in em. Small capitals may be moved below a larger letter,
/// and wide punctuation marks into each other.
const MAX_OVERLAP: f32 = 0.55;

/// Part of a line.
#[derive(Debug, Clone)]
pub(super) struct LineSegment {
    pub(super) extent: LineExtent,
    /// Position of the baseline across the line.
    pub(super) base: f32,
    /// Size of its largest letters except for a few, in points.
    pub(super) size: f32,
    /// Number of glyphs.
    pub(super) glyphs: u32,
    /// True if the whole segment is bold.
    pub(super) is_bold: bool,
    /// Indices of its runs in [`PageGlyphs::runs`], from start to end.
    pub(super) runs: Vec<u32>,
}

impl LineSegment {
    fn new(at: u32, run: &GlyphRun) -> Self {
        Self {
            extent: run.extent,
            base: run.base,
            size: run.size,
            glyphs: run.glyphs.end - run.glyphs.start,
            is_bold: run.bold,
            runs: vec![at],
        }
    }

    fn push(&mut self, at: u32, run: &GlyphRun) {
        self.extent.cover(&run.extent);
        // The largest letters define the baseline; an exponent does not.
        if run.size > self.size * 1.05 {
            (self.base, self.size) = (run.base, run.size);
        }
        self.glyphs += run.glyphs.end - run.glyphs.start;
        self.is_bold &= run.bold;
        self.runs.push(at);
    }

    /// Sets baseline and size to those of most letters, so that a large initial or a bullet has no
    /// influence.
    fn use_main_size(&mut self, glyphs: &PageGlyphs) {
        let length = |run: &&GlyphRun| run.glyphs.end - run.glyphs.start;
        let runs = || self.runs.iter().map(|at| &glyphs.runs[*at as usize]);
        let is_largest = |run: &&GlyphRun| run.size > 0.95 * self.size;
        let large: u32 = runs().filter(is_largest).map(|p| length(&p)).sum();
        if large * 4 >= self.glyphs {
            return;
        }
        let mut text = runs().skip_while(is_largest);
        let first = text.clone().next();
        let last = runs().take_while(is_largest).last();
        let is_bullet = large < 3
            && text.all(|run| !is_largest(&run))
            && (first.zip(last)).is_some_and(|(first, bullet)| {
                first.extent.start - bullet.extent.end > 0.25 * first.size
            });
        let at_base = |run: &&GlyphRun| (run.base - self.base).abs() < 0.1 * self.size;
        let rest = runs().filter(|run| !is_largest(run) && (is_bullet || at_base(run)));
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
        self.runs.append(&mut other.runs);
    }
}

/// Returns the segments of the runs in one direction.
pub(super) fn find_segments(glyphs: &PageGlyphs, direction: TextDirection) -> Vec<LineSegment> {
    let mut segments: Vec<LineSegment> = Vec::new();
    let mut last: Option<&GlyphRun> = None;
    for (at, run) in glyphs.runs.iter().enumerate() {
        if run.direction != direction {
            continue;
        }
        let at = at as u32;
        match (segments.last_mut(), last) {
            (Some(segment), Some(last)) if follows(last, run) => segment.push(at, run),
            _ => segments.push(LineSegment::new(at, run)),
        }
        last = Some(run);
    }
    join_neighbours(glyphs, segments)
}

/// Returns true if a run begins at the end of the run that was drawn before it.
fn follows(last: &GlyphRun, run: &GlyphRun) -> bool {
    let size = last.size.max(run.size);
    let gap = run.extent.start - last.extent.end;
    let most = if last.spaced {
        MIN_SPACED_COLUMN_GAP
    } else {
        MIN_COLUMN_GAP
    };
    gap > -MAX_OVERLAP * size && gap < most * size && last.extent.shared_height(&run.extent) > 0.5
}

/// Joins neighbouring segments of a line that were not drawn in order.
fn join_neighbours(glyphs: &PageGlyphs, mut segments: Vec<LineSegment>) -> Vec<LineSegment> {
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
        segment.use_main_size(glyphs);
    }
    joined.sort_by(|a, b| a.base.total_cmp(&b.base));
    join_small_segments(glyphs, joined)
}

/// Maximum number of neighbours of a small segment that are examined.
const MAX_NEIGHBOURS: usize = 24;

/// Joins small segments a little above or below a line to that line, such as letters of a logo or
/// in a circle. The segments are sorted by line.
fn join_small_segments(glyphs: &PageGlyphs, segments: Vec<LineSegment>) -> Vec<LineSegment> {
    let is_small = |segment: &LineSegment| segment.glyphs <= 3;
    let mut host: Vec<Option<usize>> = vec![None; segments.len()];
    for (at, small) in segments.iter().enumerate() {
        if !is_small(small) {
            continue;
        }
        let first = at.saturating_sub(MAX_NEIGHBOURS);
        let near = segments[first..].iter().take(2 * MAX_NEIGHBOURS + 1);
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
            line.runs.sort_by(|a, b| {
                let start = |at: &u32| glyphs.runs[*at as usize].extent.start;
                start(a).total_cmp(&start(b))
            });
        }
    }
    segments.into_iter().flatten().collect()
}

fn touches(left: &LineSegment, right: &LineSegment) -> bool {
    let size = left.size.max(right.size);
    let gap = right.extent.start - left.extent.end;
    gap > -MAX_OVERLAP * size && gap < MIN_COLUMN_GAP * size
}

/// Returns true if the same text was drawn twice, which imitates bold type or a shadow.
fn is_repeated(glyphs: &PageGlyphs, first: &LineSegment, second: &LineSegment) -> bool {
    let near = |a: f32, b: f32| (a - b).abs() < 0.15 * first.size;
    let letters = |segment: &LineSegment| {
        let runs = segment.runs.clone();
        runs.into_iter().flat_map(|at| {
            let range = &glyphs.runs[at as usize].glyphs;
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
