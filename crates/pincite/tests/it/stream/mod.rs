//! `pincite stream`: recorded and live event streams.

mod diff;
mod golden_sequences;
#[cfg(target_os = "linux")]
mod limits;
mod malformed_frames;
mod malformed_input;
mod official_peers;
mod recordings;
mod run;
mod segments;
mod serve;
mod usage;

use json::Value;

use crate::harness::{data, stream};

/// Returns the path of a recording.
fn recording(name: &str) -> String {
    let path = data("streams").join(name);
    path.to_str().expect("a plain name").to_owned()
}

/// Runs the agent at `url` and returns the report.
#[track_caller]
fn report(url: &str, options: &str, code: i32) -> Value {
    stream(
        &format!("run {url} --message hi --format json {options}"),
        "",
    )
    .expect(code)
    .json()
}
