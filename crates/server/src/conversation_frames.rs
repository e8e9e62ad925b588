//! Frames of changes of conversations, made once for all subscribers.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use canvas::conversation_change;
use gateway::Key;
use parking_lot::Mutex;

/// Number of frames that are kept. A subscriber that is further behind makes its frames itself.
const KEPT_FRAMES: usize = 64;
/// Largest frame that is kept, in bytes.
const MAX_KEPT_BYTES: usize = 1 << 20;

/// Latest frames of all conversations. A thousand subscribers of one conversation cost one serialisation.
#[derive(Default)]
pub(crate) struct ConversationFrames(Mutex<VecDeque<KeptFrame>>);

struct KeptFrame {
    conversation: Key,
    sequence: u64,
    frame: Arc<OnceLock<Option<Bytes>>>,
}

impl ConversationFrames {
    /// Returns the frame of the change that an event makes; `None` for events that change no message.
    pub(crate) fn frame(&self, conversation: &Key, sequence: u64, event: &str) -> Option<Bytes> {
        // Most events are deltas of text: they are not looked up.
        if !event.contains("pincite") {
            return None;
        }
        if event.len() > MAX_KEPT_BYTES {
            return make_frame(sequence, event);
        }
        self.get_or_make(conversation, sequence, || make_frame(sequence, event))
    }

    fn get_or_make(
        &self,
        conversation: &Key,
        sequence: u64,
        make: impl FnOnce() -> Option<Bytes>,
    ) -> Option<Bytes> {
        let frame = {
            let mut kept = self.0.lock();
            let known = kept
                .iter()
                .rev()
                .find(|kept| kept.sequence == sequence && kept.conversation == *conversation);
            match known {
                Some(known) => known.frame.clone(),
                None => {
                    let frame = Arc::<OnceLock<Option<Bytes>>>::default();
                    kept.push_back(KeptFrame {
                        conversation: conversation.clone(),
                        sequence,
                        frame: frame.clone(),
                    });
                    if kept.len() > KEPT_FRAMES {
                        kept.pop_front();
                    }
                    frame
                }
            }
        };
        // The first subscriber makes the frame; others that come at the same time wait for it.
        frame.get_or_init(make).clone()
    }
}

fn make_frame(sequence: u64, event: &str) -> Option<Bytes> {
    let change = conversation_change(event)?;
    let data = change.data.to_json();
    let frame = format!("id: {sequence}\nevent: {}\ndata: {data}\n\n", change.name);
    Some(Bytes::from(frame))
}

#[cfg(test)]
mod tests {
    use store::{Principal, ThreadId};

    use super::*;

    fn key(thread: &str) -> Key {
        (Principal::local(), ThreadId::new(thread).expect("an id"))
    }

    #[test]
    fn a_thousand_subscribers_cost_one_serialisation() {
        let frames = ConversationFrames::default();
        let mut made = 0;
        for _ in 0..1_000 {
            let frame = frames.get_or_make(&key("a"), 7, || {
                made += 1;
                Some(Bytes::from_static(b"x"))
            });
            assert_eq!(frame.as_deref(), Some(&b"x"[..]));
        }
        assert_eq!(made, 1);
        let other = frames.get_or_make(&key("b"), 7, || Some(Bytes::from_static(b"y")));
        assert_eq!(other.as_deref(), Some(&b"y"[..]), "another conversation");
    }

    #[test]
    fn a_frame_has_the_position_and_the_name_of_the_change() {
        let frames = ConversationFrames::default();
        let event = r#"{"type":"CUSTOM","name":"pincite.action","value":{"state":"done"}}"#;
        let frame = frames.frame(&key("a"), 3, event).expect("a change");
        assert_eq!(
            &frame[..],
            b"id: 3\nevent: action\ndata: {\"state\":\"done\"}\n\n"
        );
        assert!(
            frames
                .frame(&key("a"), 4, r#"{"type":"RUN_STARTED"}"#)
                .is_none()
        );
    }
}
