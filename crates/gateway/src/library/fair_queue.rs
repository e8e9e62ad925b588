//! Queue for work on documents that principals share fairly.
//!
//! A principal with much or slow work delays its own work, not that of others: a principal without running work starts
//! at once on a reserved slot, and a slot that becomes free goes to the waiting principal with the least running work.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use parking_lot::Mutex;
use store::Principal;
use tokio::sync::oneshot;

/// Owner of work on documents.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum WorkOwner {
    /// A principal.
    Principal(Principal),
    /// The holders of signed links of a principal. Their work does not use the share of the principal.
    LinkHolders(Principal),
}

impl WorkOwner {
    /// Returns the principal whose documents are used.
    pub fn principal(&self) -> &Principal {
        match self {
            Self::Principal(principal) | Self::LinkHolders(principal) => principal,
        }
    }
}

/// Slots for work, which principals share fairly.
#[derive(Debug, Clone)]
pub(super) struct FairQueue {
    /// Number of slots for all principals.
    slots: usize,
    /// Number of further slots, for principals without running work.
    reserved: usize,
    state: Arc<Mutex<FairQueueState>>,
}

#[derive(Debug, Default)]
struct FairQueueState {
    /// Number of slots in use.
    running: usize,
    /// Number of slots that were given out so far.
    turn: u64,
    owners: HashMap<WorkOwner, OwnedWork>,
}

#[derive(Debug, Default)]
struct OwnedWork {
    running: usize,
    waiting: VecDeque<oneshot::Sender<WorkSlot>>,
    /// Turn of the last slot, so that principals with equal work alternate.
    last_turn: u64,
}

/// Slot for one piece of work. Dropping it gives the slot to the next piece.
#[derive(Debug)]
pub(crate) struct WorkSlot {
    owner: WorkOwner,
    queue: FairQueue,
}

impl FairQueue {
    pub(super) fn new(slots: usize, reserved: usize) -> Self {
        Self {
            slots: slots.max(1),
            reserved,
            state: Arc::default(),
        }
    }

    /// Waits for a slot. Returns `None` if the principal has `max_waiting` pieces of work waiting already.
    pub(super) async fn acquire(&self, owner: &WorkOwner, max_waiting: usize) -> Option<WorkSlot> {
        let receiver = {
            let mut state = self.state.lock();
            let work = state.owners.entry(owner.clone()).or_default();
            work.waiting.retain(|sender| !sender.is_closed());
            if work.waiting.len() >= max_waiting {
                return None;
            }
            let (sender, receiver) = oneshot::channel();
            work.waiting.push_back(sender);
            receiver
        };
        self.give_out_slots();
        // A sender is only dropped together with the queue.
        receiver.await.ok()
    }

    /// Gives free slots to waiting work.
    fn give_out_slots(&self) {
        let given: Vec<(oneshot::Sender<WorkSlot>, WorkSlot)> = {
            let mut state = self.state.lock();
            std::iter::from_fn(|| self.next(&mut state)).collect()
        };
        // The lock is released: a slot whose receiver is gone is dropped, which gives it to the next.
        for (sender, slot) in given {
            let _ = sender.send(slot);
        }
    }

    fn next(&self, state: &mut FairQueueState) -> Option<(oneshot::Sender<WorkSlot>, WorkSlot)> {
        let (running, turn) = (state.running, state.turn + 1);
        let is_free = |work: &OwnedWork| {
            let reserved = if work.running == 0 { self.reserved } else { 0 };
            !work.waiting.is_empty() && running < self.slots + reserved
        };
        let free = state.owners.iter_mut();
        let (owner, work) = free
            .filter(|(_, work)| is_free(work))
            .min_by_key(|(_, work)| (work.running, work.last_turn))?;
        let sender = work.waiting.pop_front()?;
        work.running += 1;
        work.last_turn = turn;
        let slot = WorkSlot {
            owner: owner.clone(),
            queue: self.clone(),
        };
        state.running += 1;
        state.turn = turn;
        Some((sender, slot))
    }
}

impl Drop for WorkSlot {
    fn drop(&mut self) {
        {
            let mut state = self.queue.state.lock();
            state.running -= 1;
            if let Some(work) = state.owners.get_mut(&self.owner) {
                work.running -= 1;
                if work.running == 0 && work.waiting.is_empty() {
                    state.owners.remove(&self.owner);
                }
            }
        }
        self.queue.give_out_slots();
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    type Waiting<'q> = Pin<Box<dyn Future<Output = Option<WorkSlot>> + 'q>>;

    /// Queue with the number of slots and of reserved slots, and its principals.
    fn queue(slots: usize, reserved: usize) -> (FairQueue, [WorkOwner; 3]) {
        let owners = ["ada", "bob", "eve"]
            .map(|name| WorkOwner::Principal(Principal::new(name).expect("a name")));
        (FairQueue::new(slots, reserved), owners)
    }

    fn wait<'q>(queue: &'q FairQueue, owner: &'q WorkOwner) -> Waiting<'q> {
        let mut waiting: Waiting<'q> = Box::pin(queue.acquire(owner, 20));
        // The first poll enters the queue; a slot that is free is kept for the next poll.
        match waiting
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
        {
            Poll::Ready(slot) => Box::pin(std::future::ready(slot)),
            Poll::Pending => waiting,
        }
    }

    fn slot(waiting: &mut Waiting<'_>) -> Option<WorkSlot> {
        match waiting
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
        {
            Poll::Ready(slot) => slot,
            Poll::Pending => None,
        }
    }

    #[test]
    fn no_principal_waits_for_the_work_of_another() {
        let (queue, [ada, bob, eve]) = queue(2, 2);
        let mut work: Vec<_> = (0..20).map(|_| wait(&queue, &ada)).collect();
        let slow: Vec<WorkSlot> = work.iter_mut().filter_map(slot).collect();
        assert_eq!(slow.len(), 2, "all slots, but not the reserved ones");
        let mut bobs = wait(&queue, &bob);
        let first = slot(&mut bobs).expect("bob starts at once");
        let mut eves = wait(&queue, &eve);
        let eves = slot(&mut eves).expect("eve starts at once");
        let mut bobs = wait(&queue, &bob);
        assert!(slot(&mut bobs).is_none(), "bob has his share");
        drop((slow, eves));
        // Two slots and two principals: each has one.
        let mut rest: Vec<_> = work.split_off(2);
        let ada_again: Vec<WorkSlot> = rest.iter_mut().filter_map(slot).collect();
        assert_eq!(ada_again.len(), 1);
        assert!(slot(&mut bobs).is_none());
        drop(first);
        assert!(slot(&mut bobs).is_some(), "the share of bob is free again");
    }

    #[test]
    fn work_of_one_principal_uses_all_slots_in_order() {
        let (queue, [ada, ..]) = queue(1, 1);
        let mut all: Vec<_> = (0..21).map(|_| wait(&queue, &ada)).collect();
        let mut refused = Box::pin(queue.acquire(&ada, 20));
        let refused = refused
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()));
        assert!(matches!(refused, Poll::Ready(None)), "too much waits");
        for at in 0..all.len() {
            assert!(all[at + 1..].iter_mut().all(|later| slot(later).is_none()));
            drop(slot(&mut all[at]).expect("it is first"));
        }
        assert!(queue.state.lock().owners.is_empty());
    }

    #[test]
    fn holders_of_links_do_not_use_the_share_of_the_owner() {
        let (queue, [ada, ..]) = queue(1, 1);
        let links = WorkOwner::LinkHolders(ada.principal().clone());
        let mut pictures: Vec<_> = (0..10).map(|_| wait(&queue, &links)).collect();
        let running: Vec<WorkSlot> = pictures.iter_mut().filter_map(slot).collect();
        assert_eq!(running.len(), 1);
        assert!(
            slot(&mut wait(&queue, &ada)).is_some(),
            "ada starts at once"
        );
    }

    #[test]
    fn abandoned_work_passes_its_slot_on() {
        let (queue, [ada, bob, _]) = queue(1, 0);
        let first = slot(&mut wait(&queue, &ada)).expect("free");
        let abandoned = wait(&queue, &bob);
        let mut waiting = wait(&queue, &ada);
        drop(abandoned);
        drop(first);
        assert!(slot(&mut waiting).is_some());
        assert_eq!(queue.state.lock().running, 0);
    }
}
