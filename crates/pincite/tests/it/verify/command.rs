//! `pincite verify`: options, reports and exit codes.

use json::Value;

use super::{path_text, verify};
use crate::harness::{parse, scratch, unused_path};

fn sample(name: &str) -> String {
    format!("{}/../../samples/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Returns the verification of one citation against one text, and the exit code.
#[track_caller]
fn verify_one(citation: &str, source: &str) -> (Value, i32) {
    let name = format!("{:016x}", hash(citation) ^ hash(source).rotate_left(1));
    let citations = scratch(
        &format!("verify-{name}.json"),
        format!("{{\"k\":{citation}}}"),
    );
    let source = scratch(&format!("verify-{name}.txt"), source);
    let ended = verify(
        &[
            "--citations",
            path_text(&citations),
            "--source",
            path_text(&source),
            "--format",
            "json",
        ],
        "",
    );
    let report = ended.json();
    let code = ended.code.expect("an exit code");
    (report["verifications"]["k"].clone(), code)
}

fn hash(text: &str) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn sample_answer_gives_the_expected_verdicts() {
    let ended = verify(
        &[&sample("history.md"), "--source", &sample("harbour.txt")],
        "",
    )
    .expect(1);
    let text = ended.text();
    for line in [
        "✓ verified      [1] “The first quay was built in 1911 by the merchants of the town.”  harbour.txt, page 1, line 3",
        "✓ verified      [2] “It was 84 metres long and made of oak”  harbour.txt, page 1, lines 3–4",
        "~ partly found  [3] “The second quay, of granite, was opend on 3 March 1931”  harbour.txt, page 1, line 7",
        "✗ not found     [4] “of which the state paid more than a third”  nearest: harbour.txt, page 1, line 8",
        "    a word was exchanged",
        "✗ not found     [5] “the highest ever measured was 3.2 metres”  nearest: harbour.txt, page 1, lines 11–12",
        "    a number differs",
        "✓ verified      [6] “No ship was lost in that night”  harbour.txt, page 1, line 12",
        "3 of 6 quotes verified, 1 partly, 2 not found",
    ] {
        assert!(text.lines().any(|shown| shown == line), "{line}:\n{text}");
    }
    assert!(text.contains("[-3.2-]{+3.1+}"), "{text}");
    assert_eq!(ended.stderr, "");
}

#[test]
fn json_has_an_entry_for_each_key() {
    let ended = verify(
        &[
            &sample("history.md"),
            "--source",
            &sample("harbour.txt"),
            "--format",
            "json",
        ],
        "",
    )
    .expect(1);
    let report = ended.json();
    assert_eq!(report["problems"], Value::Array(Vec::new()));
    let entries: Vec<&Value> = report["verifications"]
        .as_object()
        .expect("entries")
        .iter()
        .map(|(_, entry)| entry)
        .collect();
    let statuses: Vec<&str> = entries
        .iter()
        .filter_map(|entry| entry["status"].as_str())
        .collect();
    assert_eq!(
        statuses,
        [
            "found",
            "found",
            "partial_text_found",
            "not_found",
            "not_found",
            "found"
        ]
    );
    let first = entries[0];
    assert_eq!(first["citation"]["anchorText"].as_str(), Some("1911"));
    assert_eq!(first["verifiedAnchorText"].as_str(), Some("1911"));
    assert_eq!(
        first["document"]["verifiedPageNumber"],
        Value::from(1_usize)
    );
    assert_eq!(
        first["position"],
        parse(r#"{"line":1,"column":45,"offset":44}"#)
    );
    assert!(first["id"].as_str().is_some_and(|id| id.len() == 32));
    assert_eq!(entries[4]["difference"].as_str(), Some("a number differs"));
    assert!(
        entries[4]["nearest"]["text"]
            .as_str()
            .is_some_and(|text| text.contains("3.1 metres"))
    );

    let ended = verify(
        &[
            &sample("history.md"),
            "-s",
            &sample("harbour.txt"),
            "--format",
            "json",
            "--names",
            "g3",
        ],
        "",
    );
    let report = ended.expect(1).json();
    let text = report.to_json();
    assert!(
        text.contains("\"sourceContext\"") && text.contains("\"verifiedSourceMatch\""),
        "{text}"
    );
    assert!(!text.contains("fullPhrase"), "{text}");
}

#[test]
fn exit_codes_follow_the_verdicts() {
    let source = "one two three four five.\u{c}six seven eight nine ten.";
    for (citation, status, code) in [
        (r#"{"fullPhrase":"two three four"}"#, "found", 0),
        (
            r#"{"fullPhrase":"two three four","anchorText":"nine"}"#,
            "found_phrase_missed_anchor_text",
            0,
        ),
        (
            r#"{"fullPhrase":"seven eight nine","pageNumber":1}"#,
            "found_on_other_page",
            1,
        ),
        (
            r#"{"fullPhrase":"two three … five"}"#,
            "partial_text_found",
            1,
        ),
        (
            r#"{"fullPhrase":"eleven twelve","anchorText":"nine"}"#,
            "found_anchor_text_only",
            1,
        ),
        (r#"{"fullPhrase":"eleven twelve"}"#, "not_found", 1),
        (r#"{"fullPhrase":""}"#, "not_found", 1),
        (r#"{}"#, "not_found", 1),
    ] {
        let (entry, exit) = verify_one(citation, source);
        assert_eq!(
            (entry["status"].as_str(), exit),
            (Some(status), code),
            "{citation}"
        );
    }
}

#[test]
fn allow_accepts_partial_results() {
    let citations = scratch(
        "allow.json",
        r#"{"a":{"fullPhrase":"two three","pageNumber":2},"b":{"fullPhrase":"one … three"}}"#,
    );
    let source = scratch("allow.txt", "one two three\u{c}four");
    let args = [
        "--citations",
        path_text(&citations),
        "-s",
        path_text(&source),
    ];
    verify(&args, "").expect(1);
    verify(&[&args[..], &["--allow", "partly"]].concat(), "").expect(1);
    verify(&[&args[..], &["--allow", "partly,elsewhere"]].concat(), "").expect(0);
}

#[test]
fn citations_name_their_sources() {
    let one = scratch("named-one.txt", "alpha beta gamma delta");
    let two = scratch("named-two.txt", "epsilon zeta eta theta");
    let id = format!("law={}", path_text(&two));
    let check = |attachment: &str, phrase: &str, sources: &[&str]| {
        let file = format!(
            "named-{:x}.json",
            hash(attachment) ^ hash(phrase) ^ sources.len() as u64
        );
        let citations = scratch(
            &file,
            format!(r#"{{"k":{{"fullPhrase":"{phrase}","attachmentId":"{attachment}"}}}}"#),
        );
        let mut args = vec!["--citations", path_text(&citations), "--format", "json"];
        for source in sources {
            args.extend(["--source", source]);
        }
        verify(&args, "").json()
    };
    let both = [path_text(&one), &id];
    let status = |report: &Value| {
        report["verifications"]["k"]["status"]
            .as_str()
            .map(str::to_owned)
    };
    for name in ["law", path_text(&two), "named-two.txt"] {
        assert_eq!(
            status(&check(name, "zeta eta", &both)).as_deref(),
            Some("found"),
            "{name}"
        );
        assert_eq!(
            status(&check(name, "beta gamma", &both)).as_deref(),
            Some("not_found"),
            "{name}"
        );
    }
    // A quote of an unknown source is not searched in other sources.
    let report = check("nowhere", "beta gamma", &both);
    assert_eq!(status(&report).as_deref(), Some("not_found"));
    assert_eq!(
        report["verifications"]["k"]["problem"].as_str(),
        Some("source_missing")
    );
    assert_eq!(
        report["problems"].as_array().expect("problems")[0]["code"].as_str(),
        Some("source_missing")
    );
    // The only source is no substitute.
    let report = check("nowhere", "beta gamma", &[path_text(&one)]);
    assert_eq!(status(&report).as_deref(), Some("not_found"));
    assert_eq!(
        report["problems"].as_array().expect("problems")[0]["code"].as_str(),
        Some("source_missing")
    );
}

#[test]
fn unreadable_sources_are_reported_and_others_checked() {
    let folder = unused_path("unreadable");
    std::fs::create_dir_all(folder.join("deep")).expect("a folder");
    std::fs::write(
        folder.join("deep/good.md"),
        "Some *emphasised* words are here.",
    )
    .expect("a file");
    std::fs::write(folder.join("bad.bin"), b"\x00\x01\x02\xff\xfe\x00").expect("a file");
    std::fs::write(folder.join(".hidden"), "words").expect("a file");
    #[cfg(unix)]
    std::os::unix::fs::symlink("/nowhere/at/all", folder.join("broken")).expect("a link");
    let answer =
        "It says “Some emphasised words are here” [^1].\n\n[^1]: \"emphasised words\" good.md";
    let ended = verify(
        &["-", "--source", path_text(&folder), "--format", "json"],
        answer,
    )
    .expect(1);
    let report = ended.json();
    let problems = report["problems"].as_array().expect("problems");
    let sources: Vec<&str> = problems
        .iter()
        .filter_map(|problem| problem["source"].as_str())
        .collect();
    assert_eq!(sources.len(), 2, "{}", report.to_json());
    assert!(
        problems
            .iter()
            .all(|problem| problem["hint"].as_str().is_some())
    );
    let entry = report["verifications"]
        .as_object()
        .expect("entries")
        .iter()
        .next();
    let (_, entry) = entry.expect("one citation");
    assert_eq!(
        entry["status"].as_str(),
        Some("found"),
        "{}",
        report.to_json()
    );
}

#[test]
fn quotes_option_checks_quotation_marks() {
    let source = scratch(
        "quoted.txt",
        "It is a truth universally acknowledged, that a single man wants a wife.",
    );
    let answer = "She wrote “a truth universally acknowledged, that a single man”, and \"a truth hardly ever \
                  acknowledged by anyone\"; “too short”.";
    let none = verify(&["-s", path_text(&source)], answer).expect(0);
    assert!(
        none.stderr.contains("contains no citations"),
        "{}",
        none.stderr
    );
    verify(&["-s", path_text(&source), "--require-citations"], answer).expect(1);
    let ended = verify(
        &["-s", path_text(&source), "--quotes", "--format", "json"],
        answer,
    )
    .expect(1);
    let report = ended.json();
    let entries = report["verifications"].as_object().expect("entries");
    let found: Vec<(Option<&str>, &Value)> = entries
        .iter()
        .map(|(_, entry)| (entry["status"].as_str(), &entry["position"]["offset"]))
        .collect();
    assert_eq!(found.len(), 2, "{}", report.to_json());
    assert_eq!(found[0].0, Some("found"));
    let offset = answer.find("a truth").expect("there");
    assert_eq!(*found[0].1, Value::from(offset));
    assert_ne!(found[1].0, Some("found"));
}

#[test]
fn two_documents_with_the_same_key_are_both_checked() {
    let one = scratch("twin-one.txt", "the same words in both");
    let two = scratch("twin-two.txt", "other words here");
    let answer = concat!(
        "A [1] B [2].\n<<<CITATION_DATA>>>\n",
        r#"{"twin-one.txt":[{"id":1,"full_phrase":"the same words"}],"twin-two.txt":[{"id":2,"full_phrase":"the same words"}]}"#,
        "\n<<<END_CITATION_DATA>>>"
    );
    let ended = verify(
        &[
            "-s",
            path_text(&one),
            "-s",
            path_text(&two),
            "--format",
            "json",
        ],
        answer,
    )
    .expect(1);
    let report = ended.json();
    let entries = report["verifications"].as_object().expect("entries");
    let statuses: Vec<Option<&str>> = entries
        .iter()
        .map(|(_, entry)| entry["status"].as_str())
        .collect();
    assert_eq!(
        statuses,
        [Some("found"), Some("not_found")],
        "{}",
        report.to_json()
    );
}

#[test]
fn usage_errors_have_messages() {
    verify(&[], "text").expect_usage_error(&["--source"]);
    verify(&["/nowhere.md", "-s", &sample("harbour.txt")], "").expect_usage_error(&["/nowhere.md"]);
    verify(
        &["--citations", "/nowhere.json", "-s", &sample("harbour.txt")],
        "",
    )
    .expect_usage_error(&["/nowhere.json"]);
    let list = scratch("list.json", "[]");
    verify(
        &[
            "--citations",
            path_text(&list),
            "-s",
            &sample("harbour.txt"),
        ],
        "",
    )
    .expect_usage_error(&["is not a JSON object of citations"]);
    verify(&["a", "--citations", path_text(&list), "-s", "b"], "")
        .expect_usage_error(&["both an answer and --citations"]);
    verify(&["-s", "x", "--allow", "everything"], "").expect_usage_error(&["partly", "elsewhere"]);
    // The other sources are not checked.
    let args = ["-s", "/nowhere.txt", "-s", &sample("harbour.txt")];
    verify(&args, "nothing").expect_usage_error(&["no such source", "/nowhere.txt"]);
}

#[test]
fn block_citations_name_sources_by_number() {
    let one = scratch("numbered-one.txt", "alpha beta gamma delta");
    let two = scratch("numbered-two.txt", "epsilon zeta eta theta");
    let answer = r#"{"content":[{"type":"text","text":"It says so.","citations":[
        {"type":"char_location","cited_text":"zeta eta","document_index":1,"document_title":"A law","start_char_index":8,"end_char_index":16},
        {"type":"page_location","cited_text":"zeta eta theta","document_index":0,"start_page_number":1,"end_page_number":2}]}]}"#;
    let ended = verify(
        &[
            "-s",
            path_text(&one),
            "-s",
            path_text(&two),
            "--format",
            "json",
        ],
        answer,
    )
    .expect(1);
    let report = ended.json();
    let entries = report["verifications"].as_object().expect("entries");
    let statuses: Vec<Option<&str>> = entries
        .iter()
        .map(|(_, entry)| entry["status"].as_str())
        .collect();
    assert_eq!(
        statuses,
        [Some("found"), Some("not_found")],
        "{}",
        report.to_json()
    );
}
