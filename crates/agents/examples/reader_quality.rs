//! Measures the extractive reader on labelled questions.
//!
//! `cargo run --profile test -p agents --example reader_quality -- [--details FILE] FOLDER…`: each folder has `corpus.jsonl`
//! (`_id`, `text`) and `questions.jsonl` (`question`, `answers`; no answers if the corpus does not have one). Details
//! are one line of JSON per question.
#![allow(clippy::print_stdout, missing_docs)]

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use agents::reader::{
    ExtractiveAnswer, Question, ReaderOutcome, ReaderPassage, answer_from_passages,
};
use documents::{Document, ReadLimits};
use search::{
    ChunkHit, ChunkIndex, ChunkSearchRequest, Chunker, IndexedDocument, SearchFilter, SearchLists,
    SearchQuery,
};
use serde_json::{Value, json};

/// Number of passages that are searched for, as in the agent.
const PASSAGES: usize = 12;

/// Counts of one set.
#[derive(Default)]
struct QualityCounts {
    /// Questions whose answer is in the corpus, and those of them that were refused.
    present: usize,
    refused_present: usize,
    /// Questions without an answer in the corpus, and those of them that were refused.
    absent: usize,
    refused_absent: usize,
    /// Answered questions with a label, and those whose answer contains it.
    labelled: usize,
    contained: usize,
    /// Words or characters of all answers, and the number of answers.
    length: usize,
    answered: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).peekable();
    let mut details = None;
    if arguments
        .next_if(|argument| argument == "--details")
        .is_some()
    {
        details = arguments.next().map(PathBuf::from);
    }
    let mut lines = String::new();
    println!(
        "| set | contains the fact | refusal precision | refusal recall | refused although present | length |"
    );
    println!("|---|--:|--:|--:|--:|--:|");
    for folder in arguments.map(PathBuf::from) {
        measure(&folder, &mut lines)?;
    }
    if let Some(file) = details {
        fs::write(file, lines)?;
    }
    Ok(())
}

fn read_lines(path: &Path) -> Result<Vec<Value>, Box<dyn Error>> {
    let text = fs::read_to_string(path)?;
    let rows = text.lines().map(serde_json::from_str);
    Ok(rows.collect::<Result<_, _>>()?)
}

fn measure(folder: &Path, details: &mut String) -> Result<(), Box<dyn Error>> {
    let index = build(&read_lines(&folder.join("corpus.jsonl"))?)?;
    let name = folder
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let mut counts = QualityCounts::default();
    for row in read_lines(&folder.join("questions.jsonl"))? {
        let question = Question::parse(row["question"].as_str().unwrap_or_default());
        let answer = answer_from_passages(&question, &search(&index, &question)?);
        let expected: Vec<&str> = row["answers"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let text = answer_text(&answer);
        let is_right = count(&mut counts, &question, &answer, &expected, &text);
        let factors: serde_json::Map<String, Value> = answer
            .factors
            .iter()
            .map(|factor| (factor.name.to_owned(), json!(factor.value)))
            .collect();
        let line = json!({
            "set": name,
            "question": question.text,
            "kind": format!("{:?}", question.kind),
            "answers": expected,
            "refused": answer.outcome == ReaderOutcome::Refused,
            "contains": is_right,
            "confidence": answer.confidence,
            "factors": factors,
            "answer": text,
        });
        writeln!(details, "{line}")?;
    }
    report(&name, &counts);
    Ok(())
}

fn count(
    counts: &mut QualityCounts,
    question: &Question,
    answer: &ExtractiveAnswer,
    expected: &[&str],
    text: &str,
) -> bool {
    let is_refused = answer.outcome == ReaderOutcome::Refused;
    if expected.is_empty() {
        counts.absent += 1;
        counts.refused_absent += usize::from(is_refused);
    } else {
        counts.present += 1;
        counts.refused_present += usize::from(is_refused);
    }
    if is_refused {
        return false;
    }
    counts.answered += 1;
    counts.length += match question.language.code() {
        "ja" | "zh" => text.chars().count(),
        _ => text.split_whitespace().count(),
    };
    let lower = text.to_lowercase();
    let contains = expected
        .iter()
        .any(|words| lower.contains(&words.to_lowercase()));
    // A label that begins with a control character says only that the corpus has the answer.
    if expected.iter().any(|words| !words.starts_with('\0')) {
        counts.labelled += 1;
        counts.contained += usize::from(contains);
    }
    contains
}

fn report(name: &str, counts: &QualityCounts) {
    let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
    println!(
        "| {name} | {:.3} of {} | {:.3} | {:.3} of {} | {:.3} of {} | {:.1} |",
        share(counts.contained, counts.labelled),
        counts.labelled,
        share(
            counts.refused_absent,
            counts.refused_absent + counts.refused_present
        ),
        share(counts.refused_absent, counts.absent),
        counts.absent,
        share(counts.refused_present, counts.present),
        counts.present,
        share(counts.length, counts.answered),
    );
}

fn answer_text(answer: &ExtractiveAnswer) -> String {
    let quotes: Vec<&str> = answer
        .quotes
        .iter()
        .map(|quote| quote.text.as_str())
        .collect();
    quotes.join(" ")
}

fn build(corpus: &[Value]) -> Result<ChunkIndex, Box<dyn Error>> {
    let index = ChunkIndex::in_memory()?;
    let mut writer = index.writer()?;
    for row in corpus {
        let text = row["text"].as_str().unwrap_or_default();
        let document = Document::read(text.as_bytes(), "passage.txt", &ReadLimits::default())?;
        let chunks = Chunker::default().chunks(&document);
        writer.add(&IndexedDocument {
            owner: "local",
            document: &document,
            title: row["title"].as_str().unwrap_or_default(),
            labels: &[],
            created: 0,
            chunks: &chunks,
        })?;
    }
    writer.commit()?;
    index.reload()?;
    Ok(index)
}

fn search(index: &ChunkIndex, question: &Question) -> Result<Vec<ReaderPassage>, Box<dyn Error>> {
    let Ok(query) = SearchQuery::parse(&question.search_query()) else {
        return Ok(Vec::new());
    };
    let found = index.search(&ChunkSearchRequest {
        query: &query,
        filter: &SearchFilter::of_owner("local"),
        lists: SearchLists::default(),
        limit: PASSAGES,
        offset: 0,
    })?;
    Ok(found.hits.into_iter().map(passage).collect())
}

fn passage(hit: ChunkHit) -> ReaderPassage {
    let terms = hit.terms.into_iter().map(|term| (term.word, term.score));
    let chunk = hit.chunk;
    ReaderPassage {
        chunk_id: chunk.chunk.id.to_string(),
        document_id: chunk.document().to_string(),
        document_name: String::new(),
        title: None,
        pages: chunk.chunk.pages(),
        headings: chunk.chunk.headings,
        text: chunk.text,
        score: hit.score,
        terms: terms.collect(),
    }
}
