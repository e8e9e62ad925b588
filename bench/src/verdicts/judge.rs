//! Runs `pincite verify` and compares its verdicts with the expected ones.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Map, Value, json};

use crate::case::{Case, ExpectedVerdict, PassagePlace};
use crate::source::Source;

/// Statuses that tell a reader that the words are in the source.
pub(crate) const CONFIRMING: [&str; 4] = [
    "found",
    "found_phrase_missed_anchor_text",
    "found_on_other_page",
    "found_on_other_line",
];
/// Number of cases per call.
const BATCH: usize = 500;

/// Judge of citations: gets the files of the source and of the citations, returns JSON.
pub(crate) trait Judge {
    fn verify(&self, source: &Path, citations: &Path) -> Result<String, String>;
}

/// Command of the product.
pub(crate) struct ProductJudge(pub(crate) PathBuf);

impl Judge for ProductJudge {
    fn verify(&self, source: &Path, citations: &Path) -> Result<String, String> {
        let mut command = Command::new(&self.0);
        command.arg("verify").arg("--citations").arg(citations);
        command
            .arg("--source")
            .arg(source)
            .args(["--format", "json"]);
        let output = command
            .stdin(Stdio::null())
            .output()
            .map_err(|e| format!("cannot start {}: {e}", self.0.display()))?;
        // The exit code is ignored: it reports that some quotes are not verified.
        let answer = String::from_utf8_lossy(&output.stdout).into_owned();
        match answer.trim_start().starts_with('{') {
            true => Ok(answer),
            false => {
                let message = String::from_utf8_lossy(&output.stderr);
                Err(format!(
                    "pincite verify ({}): {}",
                    output.status,
                    message.trim()
                ))
            }
        }
    }
}

/// Verdict of the judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GivenVerdict {
    pub(crate) status: String,
    pub(crate) place: Option<PassagePlace>,
    /// Names of the problems reported for it.
    pub(crate) problems: Vec<String>,
}

/// Has the cases of a source judged. The verdicts are in the order of the cases.
pub(crate) fn judge(
    judge: &impl Judge,
    folder: &Path,
    source: &Source,
    cases: &[&Case],
) -> Result<Vec<GivenVerdict>, String> {
    let save = |name: &str, content: &str| {
        let path = folder.join(name);
        let saved = fs::create_dir_all(folder).and_then(|()| fs::write(&path, content));
        saved.map_err(|e| format!("cannot write {}: {e}", path.display()))?;
        Ok::<_, String>(path)
    };
    let file = match &source.printed {
        Some(printed) => printed.file.clone(),
        None => save("source.txt", &source.text)?,
    };
    let mut given = Vec::with_capacity(cases.len());
    for batch in cases.chunks(BATCH) {
        let citations = save("citations.json", &citations(batch).to_string())?;
        let answer = judge.verify(&file, &citations)?;
        let answer: Value =
            serde_json::from_str(&answer).map_err(|e| format!("the answer is no JSON: {e}"))?;
        given.extend((0..batch.len()).map(|index| read(&answer, index)));
    }
    Ok(given)
}

/// Returns the citations as JSON, keyed by number.
fn citations(cases: &[&Case]) -> Value {
    let entries = cases.iter().enumerate().map(|(index, case)| {
        let mut citation = Map::new();
        citation.insert("type".to_owned(), json!("document"));
        citation.insert("fullPhrase".to_owned(), json!(case.phrase));
        if let Some(anchor) = &case.anchor {
            citation.insert("anchorText".to_owned(), json!(anchor));
        }
        if let Some(page) = case.page {
            citation.insert("pageNumber".to_owned(), json!(page));
        }
        if !case.lines.is_empty() {
            citation.insert("lineIds".to_owned(), json!(case.lines));
        }
        (key(index), Value::Object(citation))
    });
    Value::Object(entries.collect())
}

fn key(index: usize) -> String {
    format!("case-{index}")
}

fn read(answer: &Value, index: usize) -> GivenVerdict {
    let key = key(index);
    let verification = &answer["verifications"][&key];
    let document = &verification["document"];
    let place = document["verifiedPageNumber"].as_u64().map(|page| {
        let lines = document["verifiedLineIds"].as_array();
        let lines = lines.into_iter().flatten().filter_map(Value::as_u64);
        PassagePlace {
            page: page as u32,
            lines: lines.map(|line| line as u32).collect(),
        }
    });
    let problems = answer["problems"].as_array().into_iter().flatten();
    let own = problems.filter(|problem| problem["key"] == key);
    let names = own.filter_map(|problem| problem["code"].as_str());
    GivenVerdict {
        problems: names.map(str::to_owned).collect(),
        status: verification["status"]
            .as_str()
            .unwrap_or("no verdict")
            .to_owned(),
        place,
    }
}

/// Returns true if a verdict is right.
pub(crate) fn is_right(case: &Case, given: &GivenVerdict) -> bool {
    let status = given.status.as_str();
    match &case.expected {
        ExpectedVerdict::Exactly(expected, places) => {
            let right = |given: &PassagePlace| places.iter().any(|place| given.is_at(place));
            status == *expected && given.place.as_ref().is_some_and(right)
        }
        ExpectedVerdict::ElsewhereWithProblem(problem, places) => {
            let right = |given: &PassagePlace| places.iter().any(|place| given.is_at(place));
            let reported = given.problems.iter().any(|given| given == problem);
            status == "found_on_other_page" && reported && given.place.as_ref().is_some_and(right)
        }
        ExpectedVerdict::FoundOrPartial => matches!(status, "found" | "partial_text_found"),
        ExpectedVerdict::NotConfirmed => status != "no verdict" && !CONFIRMING.contains(&status),
    }
}
