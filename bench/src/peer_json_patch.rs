//! Contestant: the json-patch crate with atomic `patch` on the STATE_DELTA events of a stream.
//!
//! usage: `peer-json-patch patch FILE MIN_SECONDS [--dump OUT]`

use std::process::ExitCode;

use json_patch::Patch;
use pincite_bench::harness::{Args, Sample, StateParts, contestant, measure_with};
use serde_json::Value;

fn main() -> ExitCode {
    contestant(run)
}

fn run(args: &Args) -> Result<Sample, String> {
    if args.mode != "patch" {
        return Err(format!("unknown mode {}; known: patch", args.mode));
    }
    let parts = StateParts::from_sse(&args.read()?)?;
    let start: Value = serde_json::from_str(&parts.snapshot).map_err(|e| e.to_string())?;
    let patches: Vec<Patch> = parts
        .deltas
        .iter()
        .map(|delta| serde_json::from_str(delta).map_err(|e| format!("bad delta: {e}")))
        .collect::<Result<_, _>>()?;

    let apply = |mut state: Value| {
        for patch in &patches {
            json_patch::patch(&mut state, patch).map_err(|e| e.to_string())?;
        }
        Ok(state)
    };
    args.write_dump(|| apply(start.clone()).map(|state| state.to_string()))?;
    measure_with(patches.len(), args.min_seconds, || start.clone(), apply)
}
