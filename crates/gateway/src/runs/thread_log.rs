//! Reading of a thread's log for a subscriber.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use agui::downgrade::EventFormat;
use bytes::Bytes;
use store::{LogPage, Sequence, Store, StoreFuture};

use super::Key;
use super::frame_encoder::encode_events;

/// Number of events that are read from the log at a time.
pub(super) const PAGE_EVENTS: usize = 1_000;

/// Log of a thread that is read page by page.
pub(super) struct ThreadLog {
    store: Arc<dyn Store>,
    key: Key,
    pub(super) format: EventFormat,
    /// Sequence of the last event that the client has.
    pub(super) after: Sequence,
    /// Page that is being read.
    reading: Option<StoreFuture<LogPage>>,
}

/// The log could not be read.
pub(super) struct UnreadableLog;

impl ThreadLog {
    pub(super) fn new(
        store: Arc<dyn Store>,
        key: Key,
        after: Sequence,
        format: EventFormat,
    ) -> Self {
        Self {
            store,
            key,
            format,
            after,
            reading: None,
        }
    }

    /// Returns the next encoded events, but none behind `until`; `None` if there are no more.
    pub(super) fn poll_page(
        &mut self,
        context: &mut Context<'_>,
        until: impl FnOnce() -> Sequence,
    ) -> Poll<Result<Option<Bytes>, UnreadableLog>> {
        let (principal, thread) = &self.key;
        let reading = self.reading.get_or_insert_with(|| {
            self.store
                .events(principal, thread, self.after, PAGE_EVENTS)
        });
        let page = ready!(Pin::new(reading).poll(context));
        self.reading = None;
        Poll::Ready(match page {
            Ok(page) => Ok(self.encode(&page, until())),
            Err(error) => {
                tracing::warn!(%thread, %error, "the log of a thread could not be read");
                Err(UnreadableLog)
            }
        })
    }

    /// Returns true while a page is being read.
    pub(super) fn is_reading(&self) -> bool {
        self.reading.is_some()
    }

    fn encode(&mut self, page: &LogPage, until: Sequence) -> Option<Bytes> {
        let last = page.chunks.last()?.last().min(until);
        if last <= self.after {
            return None;
        }
        self.after = last;
        let wanted = page.iter().take_while(|(sequence, _)| *sequence <= last);
        let events = wanted.filter_map(|(sequence, json)| {
            let json = std::str::from_utf8(json).ok()?;
            Some((Some(sequence), json))
        });
        Some(encode_events(events, page.size(), self.format))
    }
}
