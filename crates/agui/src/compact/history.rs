//! What happens to one message or call, as far as the fold can tell.

use std::mem::take;

/// What happens to one message or call.
#[derive(Debug, Default, PartialEq)]
pub(super) struct History<'a> {
    /// What happens before anything here creates it.
    before: Phase,
    phases: Vec<(Creator<'a>, Phase)>,
    has_text: bool,
}

/// What happens between two creators; the two lists do not affect each other.
#[derive(Debug, Default, PartialEq)]
struct Phase {
    deltas: Vec<usize>,
    encrypted: Vec<usize>,
}

/// What may create a message, or decides what it is.
#[derive(Debug, PartialEq, Clone, Copy)]
pub(super) enum Creator<'a> {
    /// An event that makes a message which no snapshot spares.
    Text(usize),
    /// An event about an activity or about reasoning, which a snapshot may spare.
    Lasting(usize),
    /// The start of a plain assistant message.
    Plain { start: usize, tag: Option<&'a str> },
    /// A call that names it as its parent.
    Parent { tag: Option<&'a str> },
}

impl<'a> History<'a> {
    pub(super) fn create(&mut self, creator: Creator<'a>) {
        self.phases.push((creator, Phase::default()));
    }

    /// Text is added.
    pub(super) fn content(&mut self, index: usize) {
        self.last().deltas.push(index);
        self.has_text = true;
    }

    /// Anything else is added that must stay in order.
    pub(super) fn metadata(&mut self, index: usize) {
        self.last().deltas.push(index);
    }

    pub(super) fn encrypt(&mut self, index: usize) {
        self.last().encrypted.push(index);
    }

    fn last(&mut self) -> &mut Phase {
        match self.phases.last_mut() {
            Some((_, phase)) => phase,
            None => &mut self.before,
        }
    }

    /// Whether something here may create it.
    pub(super) fn is_created(&self) -> bool {
        !self.phases.is_empty()
    }

    /// Whether a snapshot without it may spare what is created here.
    pub(super) fn may_be_kept(&self) -> bool {
        let lasting = |(creator, _): &(Creator<'_>, Phase)| matches!(creator, Creator::Lasting(_));
        self.phases.iter().any(lasting)
    }

    /// Keeps only what happens to a message that was there before.
    pub(super) fn forget_creators(&mut self) {
        for (creator, phase) in take(&mut self.phases) {
            if let Creator::Plain { start, .. } | Creator::Text(start) = creator {
                self.before.deltas.push(start);
            }
            self.before.deltas.extend(phase.deltas);
            self.before.encrypted.extend(phase.encrypted);
        }
    }

    /// Forgets in which order a message was started and named as a parent, where it is the same.
    ///
    /// A call that names a missing message creates it as an assistant message without content. So
    /// does the start of a plain assistant message of the same subagent, once text follows.
    pub(super) fn normalise(&mut self) {
        let mut tags = self.phases.iter().map(|(creator, _)| match creator {
            Creator::Plain { tag, .. } | Creator::Parent { tag } => Some(*tag),
            Creator::Text(_) | Creator::Lasting(_) => None,
        });
        let Some(Some(first)) = tags.next() else {
            return;
        };
        let uniform = tags.all(|tag| tag == Some(first));
        let any = |test: fn(&(Creator<'_>, Phase)) -> bool| self.phases.iter().any(test);
        let started = any(|(creator, _)| matches!(creator, Creator::Plain { .. }));
        let encrypted = any(|(_, phase)| !phase.encrypted.is_empty());
        if !uniform || encrypted || !self.before.encrypted.is_empty() || (started && !self.has_text)
        {
            return;
        }
        for (creator, phase) in take(&mut self.phases) {
            match (creator, self.phases.last_mut()) {
                (Creator::Parent { .. }, Some((_, last))) => last.deltas.extend(phase.deltas),
                (Creator::Parent { .. }, None) if started => {
                    self.before.deltas.extend(phase.deltas);
                }
                _ => self.phases.push((creator, phase)),
            }
        }
    }
}
