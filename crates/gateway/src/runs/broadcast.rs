//! A run that goes on: what it has sent, for everyone who watches.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use agui::ReceivedEvent;
use agui::event::Event;
use agui::negotiate::Encoding;
use agui::{EventReader, proto, sse};
use bytes::Bytes;
use json::Text;
use parking_lot::{Mutex, MutexGuard};
use store::{LogBatch, RunId, Sequence};
use tokio::sync::watch;

use crate::metrics::RunMetrics;

/// How much of a run is kept for those who watch it. Whoever falls behind farther reads the log.
const KEPT_BYTES: usize = 4 << 20;

/// Events that are stored together, in the forms that clients read.
#[derive(Debug)]
pub(crate) struct EventBatch {
    /// The sequence of the first event.
    first: Sequence,
    /// As SSE, with the sequence as id.
    sse: Bytes,
    /// Where each event begins in it, and where its JSON does.
    starts: Vec<(u32, u32)>,
}

/// A block in the making.
#[derive(Debug)]
pub(crate) struct EventBatchBuilder {
    first: Sequence,
    /// How many bytes are expected.
    expected: usize,
    sse: String,
    starts: Vec<(u32, u32)>,
}

impl EventBatchBuilder {
    /// A block whose first event has this sequence, and that may have so many bytes.
    pub(crate) fn new(first: Sequence, expected: usize) -> Self {
        Self {
            first,
            expected,
            sse: String::new(),
            starts: Vec::new(),
        }
    }

    /// How many bytes it has.
    pub(crate) fn len(&self) -> usize {
        self.sse.len()
    }

    /// Adds an event as it was received.
    pub(crate) fn push(&mut self, event: &ReceivedEvent) {
        let at = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        let start = self.sse.len();
        if start == 0 {
            // Not before: a run that waits for its agent holds nothing.
            self.sse.reserve(self.expected);
            self.starts.reserve(self.expected / 128);
        }
        sse::encode_id(self.first + self.starts.len() as u64, &mut self.sse);
        let frame = self.sse.len();
        sse::encode_received(event, &mut self.sse);
        self.starts.push((at(start), at(frame)));
    }

    /// The block, and what the store gets of it.
    pub(crate) fn finish(self) -> (EventBatch, LogBatch) {
        // As much as is needed: a store in memory keeps what it gets.
        let ids: usize = { self.starts.iter() }
            .map(|(start, frame)| (frame - start) as usize)
            .sum();
        let frames = self.sse.len() - ids;
        let mut batch = LogBatch::with_capacity(frames.saturating_sub(AROUND * self.starts.len()));
        for (at, (_, frame)) in self.starts.iter().enumerate() {
            let next = self.starts.get(at + 1);
            let end = next.map_or(self.sse.len(), |next| next.0 as usize);
            let frame = self.sse.get(*frame as usize..end).unwrap_or_default();
            batch.push(json_of(frame).as_bytes());
        }
        // Room that is not used would be kept as long as the block.
        let sse = if self.sse.len() * 2 < self.sse.capacity() {
            Bytes::copy_from_slice(self.sse.as_bytes())
        } else {
            Bytes::from(self.sse)
        };
        let block = EventBatch {
            first: self.first,
            sse,
            starts: self.starts,
        };
        (block, batch)
    }
}

/// How many bytes a frame has around its JSON, less those that the store puts before it.
const AROUND: usize = "data: \n\n".len() - 3;

/// The JSON in a frame of one event.
fn json_of(frame: &str) -> &str {
    let json = frame.strip_prefix("data: ").unwrap_or(frame);
    json.trim_end_matches('\n')
}

impl EventBatch {
    /// How many events it has.
    pub(crate) fn count(&self) -> u64 {
        self.starts.len() as u64
    }

    /// The sequence of the last event, if it has one.
    pub(crate) fn last(&self) -> Sequence {
        self.first + self.count() - 1
    }

    /// The part after a sequence, as a client reads it.
    pub(crate) fn after(&self, after: Sequence, encoding: Encoding) -> Bytes {
        match encoding {
            Encoding::Sse => self.sse_after(after),
            Encoding::Proto => self.proto_after(after),
        }
    }

    /// The part after a sequence, as SSE.
    fn sse_after(&self, after: Sequence) -> Bytes {
        let skipped = (after + 1).saturating_sub(self.first);
        let skipped = usize::try_from(skipped).unwrap_or(usize::MAX);
        match self.starts.get(skipped) {
            Some((start, _)) => self.sse.slice(*start as usize..),
            None => Bytes::new(),
        }
    }

    /// The part after a sequence, as protobuf; what that cannot express is left out.
    fn proto_after(&self, after: Sequence) -> Bytes {
        let mut out = Vec::with_capacity(self.sse.len());
        let mut reader = EventReader::new();
        let text = std::str::from_utf8(&self.sse).unwrap_or_default();
        for (at, (_, frame)) in self.starts.iter().enumerate() {
            if self.first + at as u64 <= after {
                continue;
            }
            let end = self
                .starts
                .get(at + 1)
                .map_or(text.len(), |next| next.0 as usize);
            let json = json_of(text.get(*frame as usize..end).unwrap_or_default());
            push_proto(json, &mut reader, &mut out);
        }
        Bytes::from(out)
    }
}

fn push_proto(json: &str, reader: &mut EventReader, out: &mut Vec<u8>) {
    if let Ok(event) = reader.read(Text::from(json)) {
        // What it cannot express is left out.
        let _ = proto::encode_received_frame(&event, out);
    }
}

/// Events as a client reads them, with their sequences where they are in the log; about so many bytes.
pub(crate) fn frames<'e>(
    events: impl IntoIterator<Item = (Option<Sequence>, &'e str)>,
    size: usize,
    encoding: Encoding,
) -> Bytes {
    match encoding {
        Encoding::Sse => {
            let mut out = String::with_capacity(size + size / 8);
            for (sequence, json) in events {
                if let Some(sequence) = sequence {
                    sse::encode_id(sequence, &mut out);
                }
                sse::encode_text(json, &mut out);
            }
            Bytes::from(out)
        }
        Encoding::Proto => {
            let (mut reader, mut out) = (EventReader::new(), Vec::new());
            for (_, json) in events {
                push_proto(json, &mut reader, &mut out);
            }
            Bytes::from(out)
        }
    }
}

/// A run that goes on.
#[derive(Debug)]
pub(crate) struct RunBroadcast {
    pub(crate) run: RunId,
    shared: Mutex<BroadcastState>,
    /// How many watch.
    subscribers: watch::Sender<usize>,
    metrics: RunMetrics,
}

#[derive(Debug, Default)]
struct BroadcastState {
    blocks: VecDeque<Arc<EventBatch>>,
    size: usize,
    /// The sequence of the last event.
    last: Sequence,
    /// The last event was one that ends a run; another run may still follow.
    said_end: bool,
    ended: bool,
    /// What everyone is told at the end that could not be stored.
    failure: Option<Arc<str>>,
    wakers: Vec<Waker>,
}

/// What a watcher gets next.
pub(crate) enum SubscriberStep {
    /// Events that follow.
    Block(Arc<EventBatch>),
    /// Those are not kept here any more; the log has them.
    Behind,
    /// There are no more; perhaps a last event that is not in the log.
    End(Option<Arc<str>>),
}

impl RunBroadcast {
    pub(crate) fn new(run: RunId, after: Sequence, metrics: RunMetrics) -> Arc<Self> {
        Arc::new(Self {
            run,
            shared: Mutex::new(BroadcastState {
                last: after,
                ..BroadcastState::default()
            }),
            subscribers: watch::Sender::new(0),
            metrics,
        })
    }

    /// A run that has ended; everything it said is in the log.
    pub(crate) fn ended(run: RunId, last: Sequence) -> Arc<Self> {
        Arc::new(Self {
            run,
            shared: Mutex::new(BroadcastState {
                last,
                ended: true,
                ..BroadcastState::default()
            }),
            subscribers: watch::Sender::new(0),
            metrics: RunMetrics::default(),
        })
    }

    fn shared(&self) -> MutexGuard<'_, BroadcastState> {
        self.shared.lock()
    }

    /// The sequence of the last event.
    pub(crate) fn last(&self) -> Sequence {
        self.shared().last
    }

    /// Adds events that are stored; whether the last one ends the run.
    pub(crate) fn publish(&self, block: EventBatch, said_end: bool) {
        let mut shared = self.shared();
        shared.said_end = said_end;
        let new = block.last().saturating_sub(shared.last);
        self.metrics.events.inc_by(new);
        shared.last = block.last();
        shared.size += block.sse.len();
        shared.blocks.push_back(Arc::new(block));
        while shared.size > KEPT_BYTES && shared.blocks.len() > 1 {
            if let Some(dropped) = shared.blocks.pop_front() {
                shared.size -= dropped.sse.len();
            }
        }
        wake(shared);
    }

    /// Nothing more can be stored: this is what everyone is told instead.
    pub(crate) fn fail(&self, event: &Event) {
        let mut shared = self.shared();
        shared.said_end = true;
        shared.failure = Some(event.to_json().into());
    }

    /// Nothing follows.
    pub(crate) fn end(&self) {
        let mut shared = self.shared();
        shared.ended = true;
        wake(shared);
    }

    /// What follows a sequence.
    pub(crate) fn poll_after(
        &self,
        after: Sequence,
        context: &mut Context<'_>,
    ) -> Poll<SubscriberStep> {
        let mut shared = self.shared();
        if self.subscriber_count() == 1 {
            // It has got these, and whoever comes later reads the log.
            while let Some(seen) = shared.blocks.pop_front_if(|block| block.last() <= after) {
                shared.size -= seen.sse.len();
            }
        }
        if shared.last <= after {
            if shared.ended {
                return Poll::Ready(SubscriberStep::End(shared.failure.clone()));
            }
            let waker = context.waker();
            if !shared.wakers.iter().any(|known| known.will_wake(waker)) {
                shared.wakers.push(waker.clone());
            }
            return Poll::Pending;
        }
        let at = shared.blocks.partition_point(|block| block.last() <= after);
        match shared.blocks.get(at) {
            Some(block) if block.first <= after + 1 => {
                Poll::Ready(SubscriberStep::Block(block.clone()))
            }
            _ => Poll::Ready(SubscriberStep::Behind),
        }
    }

    /// Somebody begins to watch.
    pub(crate) fn enter(&self) {
        self.subscribers.send_modify(|count| *count += 1);
    }

    /// Somebody leaves.
    pub(crate) fn leave(&self) {
        self.subscribers
            .send_modify(|count| *count = count.saturating_sub(1));
    }

    /// How many watch, now and later.
    pub(crate) fn subscribers(&self) -> watch::Receiver<usize> {
        self.subscribers.subscribe()
    }

    /// A watcher that has got so far takes what follows.
    pub(crate) fn taken(&self, after: Sequence) {
        let waiting = self.last().saturating_sub(after);
        // More events than can be told apart do not matter here.
        self.metrics.subscriber_lag.observe(waiting as f64);
    }

    /// How many watch.
    pub(crate) fn subscriber_count(&self) -> usize {
        *self.subscribers.borrow()
    }

    /// Whether it has said that it ends.
    pub(crate) fn has_sent_end(&self) -> bool {
        self.shared().said_end
    }

    pub(crate) fn has_subscribers(&self) -> bool {
        *self.subscribers.borrow() > 0
    }
}

/// Wakes everyone, without holding what they will ask for.
fn wake(mut shared: MutexGuard<'_, BroadcastState>) {
    let wakers = std::mem::take(&mut shared.wakers);
    drop(shared);
    for waker in wakers {
        waker.wake();
    }
}
