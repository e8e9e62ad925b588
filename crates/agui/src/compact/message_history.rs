//! History of one message or call: the events that can affect its folded form.

use std::mem::take;

/// Events that affect one message or call.
#[derive(Debug, Default, PartialEq)]
pub(super) struct MessageHistory<'a> {
    /// Events before the first creator.
    before: HistoryPhase,
    phases: Vec<(MessageCreator<'a>, HistoryPhase)>,
    has_text: bool,
}

/// Events between two creators; the two lists do not affect each other.
#[derive(Debug, Default, PartialEq)]
struct HistoryPhase {
    deltas: Vec<usize>,
    encrypted: Vec<usize>,
}

/// Event that may create a message or determine its role.
#[derive(Debug, PartialEq, Clone, Copy)]
pub(super) enum MessageCreator<'a> {
    /// Event that creates a message which a snapshot without it removes.
    Text(usize),
    /// Event of an activity or of reasoning, which a snapshot without it may keep.
    Lasting(usize),
    /// Start of a plain assistant message.
    Plain { start: usize, tag: Option<&'a str> },
    /// Tool call that names the message as its parent.
    Parent { tag: Option<&'a str> },
}

impl<'a> MessageHistory<'a> {
    pub(super) fn create(&mut self, creator: MessageCreator<'a>) {
        self.phases.push((creator, HistoryPhase::default()));
    }

    /// Records an event that adds text.
    pub(super) fn content(&mut self, index: usize) {
        self.last().deltas.push(index);
        self.has_text = true;
    }

    /// Records another event whose order matters.
    pub(super) fn metadata(&mut self, index: usize) {
        self.last().deltas.push(index);
    }

    pub(super) fn encrypt(&mut self, index: usize) {
        self.last().encrypted.push(index);
    }

    fn last(&mut self) -> &mut HistoryPhase {
        match self.phases.last_mut() {
            Some((_, phase)) => phase,
            None => &mut self.before,
        }
    }

    /// Returns true if one of the events may create the message.
    pub(super) fn is_created(&self) -> bool {
        !self.phases.is_empty()
    }

    /// Returns true if a snapshot without the message may keep it.
    pub(super) fn may_be_kept(&self) -> bool {
        let lasting = |(creator, _): &(MessageCreator<'_>, HistoryPhase)| {
            matches!(creator, MessageCreator::Lasting(_))
        };
        self.phases.iter().any(lasting)
    }

    /// Removes the creators and keeps the events that affect an existing message.
    pub(super) fn forget_creators(&mut self) {
        for (creator, phase) in take(&mut self.phases) {
            if let MessageCreator::Plain { start, .. } | MessageCreator::Text(start) = creator {
                self.before.deltas.push(start);
            }
            self.before.deltas.extend(phase.deltas);
            self.before.encrypted.extend(phase.encrypted);
        }
    }

    /// Removes the order of the start and the parent references of a message where it makes no
    /// difference.
    ///
    /// A call that names a missing message creates an assistant message without content. The start
    /// of a plain assistant message of the same subagent does the same, once text follows.
    pub(super) fn normalise(&mut self) {
        let mut tags = self.phases.iter().map(|(creator, _)| match creator {
            MessageCreator::Plain { tag, .. } | MessageCreator::Parent { tag } => Some(*tag),
            MessageCreator::Text(_) | MessageCreator::Lasting(_) => None,
        });
        let Some(Some(first)) = tags.next() else {
            return;
        };
        let uniform = tags.all(|tag| tag == Some(first));
        let any =
            |test: fn(&(MessageCreator<'_>, HistoryPhase)) -> bool| self.phases.iter().any(test);
        let started = any(|(creator, _)| matches!(creator, MessageCreator::Plain { .. }));
        let encrypted = any(|(_, phase)| !phase.encrypted.is_empty());
        if !uniform || encrypted || !self.before.encrypted.is_empty() || (started && !self.has_text)
        {
            return;
        }
        for (creator, phase) in take(&mut self.phases) {
            match (creator, self.phases.last_mut()) {
                (MessageCreator::Parent { .. }, Some((_, last))) => {
                    last.deltas.extend(phase.deltas);
                }
                (MessageCreator::Parent { .. }, None) if started => {
                    self.before.deltas.extend(phase.deltas);
                }
                _ => self.phases.push((creator, phase)),
            }
        }
    }
}
