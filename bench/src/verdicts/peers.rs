//! Peers on the same cases: a search for normalised words, and two libraries for approximate
//! matches.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::case::{Case, CaseGroup, CaseKind, ExpectedVerdict};
use crate::source::Source;
use crate::table::percent;

/// Number of right answers of a peer, by kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Peer {
    name: String,
    /// Numbers of cases and of right answers by name of the kind.
    kinds: BTreeMap<&'static str, (usize, usize)>,
}

/// Has all peers judge up to `each` cases of each kind.
pub(crate) fn ask(
    folder: &Path,
    sources: &[Source],
    made: &[(usize, Case)],
    each: usize,
) -> Result<Vec<Peer>, String> {
    let bench = Path::new(env!("CARGO_MANIFEST_DIR"));
    let ready = Command::new(bench.join("../scripts/require-python"))
        .stdin(Stdio::null())
        .status();
    if !ready.is_ok_and(|status| status.success()) {
        return Err("scripts/require-python failed".to_owned());
    }
    let cannot = |what: &str, error: std::io::Error| format!("cannot write {what}: {error}");
    std::fs::create_dir_all(folder).map_err(|e| cannot("a folder", e))?;
    let mut texts = Vec::new();
    for (number, source) in sources.iter().enumerate() {
        let path = folder.join(format!("text-{number}.txt"));
        let plain = source
            .printed
            .as_ref()
            .map_or(&source.text, |printed| &printed.plain);
        std::fs::write(&path, plain).map_err(|e| cannot("a text", e))?;
        texts.push(path);
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let chosen: Vec<&(usize, Case)> = made
        .iter()
        .filter(|(_, case)| {
            let count = counts.entry(case.kind.name).or_insert(0);
            *count += 1;
            *count <= each
        })
        .collect();
    let cases: Vec<Value> = chosen
        .iter()
        .map(|(source, case)| json!({"text": source, "quote": case.phrase}))
        .collect();
    let file = folder.join("cases.json");
    let content = json!({"texts": texts, "cases": cases}).to_string();
    std::fs::write(&file, content).map_err(|e| cannot("the cases", e))?;
    let output = Command::new(bench.join("../target/python/bin/python"))
        .arg(bench.join("peers/python/verdicts.py"))
        .arg(&file)
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("cannot start Python: {e}"))?;
    let answer: BTreeMap<String, Vec<Option<u32>>> = serde_json::from_slice(&output.stdout)
        .map_err(|e| {
            format!(
                "the peers: {e}: {}",
                String::from_utf8_lossy(&output.stderr).trim()
            )
        })?;
    let peer = |(name, pages): (String, Vec<Option<u32>>)| {
        let mut peer = Peer {
            name,
            kinds: BTreeMap::new(),
        };
        for ((_, case), page) in chosen.iter().zip(pages) {
            let (count, right) = peer.kinds.entry(case.kind.name).or_default();
            *count += 1;
            *right += usize::from(is_right(case, page));
        }
        peer
    };
    Ok(answer.into_iter().map(peer).collect())
}

/// Returns true if the result of a search is right for a case.
fn is_right(case: &Case, page: Option<u32>) -> bool {
    match &case.expected {
        ExpectedVerdict::Exactly(_, places) | ExpectedVerdict::ElsewhereWithProblem(_, places) => {
            page.is_some_and(|page| places.iter().any(|place| place.page == page))
        }
        ExpectedVerdict::FoundOrPartial => page.is_some(),
        ExpectedVerdict::NotConfirmed => page.is_none(),
    }
}

/// Describes the share of right answers of the peers, or of wrong ones for dishonest kinds.
pub(crate) fn describe_shares(peers: &[Peer], kinds: &[&'static CaseKind]) -> String {
    let of = |peer: &Peer| {
        let counts = kinds.iter().filter_map(|kind| peer.kinds.get(kind.name));
        let (count, right) = counts.fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
        let dishonest = kinds.iter().all(|kind| kind.group == CaseGroup::Dishonest);
        let shown = if dishonest { count - right } else { right };
        format!(
            "{} {}",
            peer.name,
            percent(shown as f64 / count.max(1) as f64)
        )
    };
    let all: Vec<String> = peers.iter().map(of).collect();
    all.join(", ")
}
