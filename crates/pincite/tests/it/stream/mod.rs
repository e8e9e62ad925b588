//! `pincite stream`: recorded and live event streams.

mod golden_sequences;
#[cfg(target_os = "linux")]
mod limits;
mod live;
mod malformed_frames;
mod malformed_input;
mod official_peers;
mod recordings;
mod segments;
mod usage;
