//! Runs of agents. The gateway owns a run, not the connection of the client that started it.

mod activities;
mod announcements;
mod branch;
mod broadcast;
mod event_batch;
mod frame_encoder;
mod heartbeat;
mod joined_events;
mod manager;
mod open_runs;
mod pending_evidence;
mod recovery;
mod run_request;
mod run_segment;
mod run_subscription;
mod run_task;
mod run_view;
mod stop;
mod subscribe;
mod thread_locks;
mod thread_log;
mod thread_snapshot;
mod thread_state;
mod thread_subscription;
mod unstored_ends;

use store::{Principal, ThreadId};

pub(crate) use branch::{inherit, prepend_events};
pub(crate) use joined_events::JoinedAgent;
pub use manager::RunManager;
pub(crate) use manager::{NewRunRequest, RunStart};
pub(crate) use pending_evidence::{PendingEvidence, ThreadRecord};
pub(crate) use run_request::AgentWrapper;
pub use run_request::RunRequest;
pub use run_segment::is_segment_of;
pub(crate) use run_segment::stored_run_id;
pub use run_subscription::RunSubscriber;
pub(crate) use run_view::sequential_ids;
pub use run_view::{RunView, read_run, status_name};
pub use stop::DisconnectPolicy;
pub use thread_snapshot::messages_json;
pub use thread_state::{memory_of, read_json, state_of};
pub use thread_subscription::ThreadSubscriber;

/// Thread of a principal.
pub type Key = (Principal, ThreadId);
