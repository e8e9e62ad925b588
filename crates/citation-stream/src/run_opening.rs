//! Start of a run: the client's state and the ledger, from the sent state and the memory of the thread.

use json::{Json, Value};

use crate::agent_citations::AgentCitations;
use crate::client_state::{ClientState, ProjectionSlot};
use crate::ledger::{ClientReview, Ledger, SessionForm};
use crate::options::LayerOptions;
use crate::ownership::asks_for_index;
use crate::projection::StateProjection;
use crate::restore::{StateTrust, merge_reviews, restore_ledger, restore_record, restore_session};
use crate::thread_memory::ThreadMemory;

/// Everything that a run starts with.
pub(crate) struct RunOpening {
    pub(crate) client: ClientState,
    pub(crate) ledger: Ledger,
    pub(crate) agent_citations: AgentCitations,
    /// Reviews that are new in the client's state.
    pub(crate) reviews: Vec<ClientReview>,
}

impl RunOpening {
    /// Restores a thread for a client that sends `sent` as its state.
    ///
    /// Under our keys the memory counts, elsewhere the sent state. Without a memory the sent state is a claim: its
    /// citations have to be verified again.
    pub(crate) fn new(
        sent: Option<&Json>,
        memory: Option<&ThreadMemory>,
        options: &LayerOptions,
    ) -> Self {
        Self::restore(sent, memory, options, true)
    }

    fn restore(
        sent: Option<&Json>,
        memory: Option<&ThreadMemory>,
        options: &LayerOptions,
        is_run: bool,
    ) -> Self {
        let mut slots = ProjectionSlot::all(options);
        let mut sent = sent.map_or(Value::Null, |sent| sent.value().into_owned());
        let stored = memory.map(|memory| memory.state.value());
        let record = memory.and_then(|memory| memory.record.as_ref());
        let record = record.map(Json::value);
        for slot in &mut slots {
            if record
                .as_ref()
                .is_some_and(|record| slot.is_left_by(record))
            {
                slot.stand_down();
            }
        }
        let (base, trust) = match &stored {
            Some(stored) => (&**stored, StateTrust::Stored),
            None => (&sent, StateTrust::Claimed),
        };
        let full = base.get(&options.key);
        let full = full.filter(|_| options.full || trust == StateTrust::Stored);
        let mut ledger = restore_ledger(full, trust, options.names);
        if let Some(record) = &record {
            restore_record(&mut ledger, record);
        }
        let is_owned = slots
            .each_ref()
            .map(|slot| slot.restore(base, trust, &mut ledger));
        if ledger.session.is_empty()
            && let Some(session) = record.as_ref().and_then(|record| record.get("rag"))
        {
            restore_session(&mut ledger, session);
        }
        let session_key = StateProjection::Session.name();
        if sent.get(session_key).is_some_and(asks_for_index) {
            ledger.session.form = SessionForm::Index;
        }
        if is_run {
            ledger.session.begin_turn();
        }
        let reviews = match (trust, sent.get(&options.key)) {
            (StateTrust::Stored, Some(full)) => merge_reviews(&mut ledger, full),
            (StateTrust::Stored, None) => Vec::new(),
            (StateTrust::Claimed, _) => ledger.reviews.to_vec(),
        };
        if let Some(map) = sent.as_object_mut() {
            for (slot, is_owned) in slots.iter_mut().zip(is_owned) {
                slot.adopt(map, &ledger, is_owned);
            }
        }
        let is_active = |projection: StateProjection| {
            let mut slots = slots.iter();
            slots.any(|slot| slot.projection == projection && slot.active)
        };
        let agent_citations = AgentCitations::new(
            stored.as_deref(),
            &sent,
            is_active(StateProjection::SourceLists),
            is_active(StateProjection::Session),
        );
        Self {
            client: ClientState::new(Json::from(sent), slots),
            ledger,
            agent_citations,
            reviews,
        }
    }

    /// Restores a thread between two runs, from its memory alone.
    pub(crate) fn stored(memory: &ThreadMemory, options: &LayerOptions) -> Self {
        Self::restore(Some(&memory.state), Some(memory), options, false)
    }
}
