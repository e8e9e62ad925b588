//! Reports of `pincite verify` for programs and people, and `--watch`.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use json::Value;

use crate::harness::{PINCITE, pincite, scratch};

const ANSWER: &str = "The quay was built in 1911 [1] & lost <soon> [2].\n\n<<<CITATION_DATA>>>\n\
    {\"h.txt\":[{\"id\":1,\"full_phrase\":\"The quay was built in 1911.\"},\
    {\"id\":2,\"full_phrase\":\"It was lost in \\\"1999\\\" & <never> rebuilt\\u0001.\"}]}\n<<<END_CITATION_DATA>>>\n";
const SOURCE: &str = "The quay was built in 1911.\nIt was lost in 1931 and rebuilt.\n";

fn run(format: &str, extra: &[&str]) -> crate::harness::CommandOutput {
    let answer = scratch(&format!("{format}.md"), ANSWER);
    let source = format!(
        "h.txt={}",
        scratch(&format!("{format}.txt"), SOURCE).display()
    );
    let mut args = vec![
        "verify",
        answer.to_str().expect("plain"),
        "--source",
        &source,
    ];
    args.extend(["--format", format]);
    args.extend(extra);
    pincite(&args, b"")
}

#[test]
fn sarif_points_into_the_answer() {
    let log = run("sarif", &[]).expect(1).json();
    assert_eq!(log["version"].as_str(), Some("2.1.0"));
    let run = &log["runs"].as_array().expect("runs")[0];
    let rules: Vec<&str> = run["tool"]["driver"]["rules"]
        .as_array()
        .expect("rules")
        .iter()
        .filter_map(|rule| rule["id"].as_str())
        .collect();
    let results = run["results"].as_array().expect("results");
    let kinds: Vec<(Option<&str>, Option<&str>)> = results
        .iter()
        .map(|result| (result["kind"].as_str(), result["level"].as_str()))
        .collect();
    assert_eq!(
        kinds,
        [(Some("pass"), Some("none")), (Some("fail"), Some("error"))]
    );
    let rule = results[1]["ruleId"].as_str().expect("a rule");
    assert!(rules.contains(&rule), "{rule}");
    let place = &results[1]["locations"].as_array().expect("places")[0]["physicalLocation"];
    assert_eq!(place["region"]["startLine"], Value::from(1_usize));
    assert_eq!(place["region"]["startColumn"], Value::from(46_usize));
    let uri = place["artifactLocation"]["uri"].as_str().expect("a file");
    assert!(uri.ends_with("sarif.md"), "{uri}");
}

#[test]
fn junit_has_a_case_for_each_citation() {
    let report = run("junit", &["--source", "/nowhere.txt"]).expect(1);
    let text = report.text();
    assert!(
        text.contains("<testsuite name=\"pincite verify\" tests=\"3\" failures=\"1\" errors=\"1\""),
        "{text}"
    );
    assert!(text.contains("type=\"not_found\""), "{text}");
    // Text of the answer is escaped.
    assert!(
        text.contains("&lt;never&gt;") && !text.contains('\u{1}'),
        "{text}"
    );
    assert_eq!(text.matches("<testcase").count(), 3);
    assert_eq!(
        text.matches("</testcase>").count() + text.matches("/>\n").count(),
        3
    );
}

/// Returns all values of an attribute.
fn values<'h>(html: &'h str, attribute: &str) -> Vec<&'h str> {
    let start = format!(" {attribute}=\"");
    html.split(&start)
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect()
}

#[test]
fn html_report_is_self_contained() {
    let report = run("html", &["--source", "/nowhere.txt"]).expect(1);
    let html = report.text();
    // Markers and entries link to each other; no link is broken and ids are unique.
    let ids = values(html, "id");
    let unique: std::collections::HashSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), unique.len(), "{ids:?}");
    let links = values(html, "href");
    assert!(
        links.contains(&"#c1") && links.contains(&"#m1"),
        "{links:?}"
    );
    for link in links {
        assert!(unique.contains(link.trim_start_matches('#')), "{link}");
    }
    // Results are shown by words and signs, not only by colours.
    for said in [
        "✓</span> verified",
        "✗</span> not found",
        "aria-label=\"2, citation 2: not found\"",
        "<del>",
        "<ins>",
        "cannot read /nowhere.txt",
        "lang=\"en\"",
    ] {
        assert!(html.contains(said), "{said}: {html}");
    }
    // Images are embedded and have an alternative text.
    let pictures = values(html, "src");
    assert_eq!(pictures.len(), 3, "two strips and a page");
    assert!(
        pictures
            .iter()
            .all(|src| src.starts_with("data:image/webp;base64,UklGR"))
    );
    let alt = values(html, "alt");
    assert!(
        alt.contains(&"h.txt, page 1, line 1; highlighted: “The quay was built in 1911”"),
        "{alt:?}"
    );
    // Text of the answer is escaped.
    assert!(
        html.contains("&lt;never&gt;") && html.contains("lost &lt;soon&gt;"),
        "{html}"
    );
    assert!(
        !html.contains("<script") && !html.contains('\u{1}'),
        "{html}"
    );
    assert!(!html.contains("CITATION_DATA"), "{html}");
}

#[test]
fn html_report_of_a_citations_file_has_no_answer() {
    let file = scratch(
        "alone.json",
        "{\"k\":{\"fullPhrase\":\"It was lost in 1931\"}}",
    );
    let source = scratch("alone.txt", SOURCE);
    let (file, source) = (
        file.to_str().expect("plain"),
        source.to_str().expect("plain"),
    );
    let args = [
        "verify",
        "--citations",
        file,
        "--source",
        source,
        "--format",
        "html",
    ];
    let report = pincite(&args, b"").expect(0);
    assert!(
        !report.text().contains("id=\"answer\""),
        "{}",
        report.text()
    );
    assert!(
        report.text().contains("1 of 1 quote verified"),
        "{}",
        report.text()
    );
}

#[test]
fn watch_shows_changes_after_a_save() {
    let answer = scratch("watched.md", ANSWER);
    let source = scratch("watched.txt", SOURCE);
    let mut child = Command::new(PINCITE)
        .args(["verify", "--watch"])
        .arg(&answer)
        .arg("--source")
        .arg(format!("h.txt={}", source.display()))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let mut until = |end: &str| {
        let mut seen = Vec::new();
        for line in lines.by_ref() {
            let line = line.expect("text");
            let last = line.contains(end);
            seen.push(line);
            if last {
                break;
            }
        }
        seen.join("\n")
    };
    let first = until("quotes verified");
    assert!(first.contains("1 of 2 quotes verified"), "{first}");
    // Editors replace the file.
    let repaired = ANSWER.replace(
        "It was lost in \\\"1999\\\" & <never> rebuilt\\u0001.",
        "It was lost in 1931",
    );
    let next = scratch("watched.next", repaired);
    fs::rename(next, &answer).expect("it can be replaced");
    let second = until("quotes verified");
    assert!(
        second.contains("removed: ") && second.contains("new: "),
        "{second}"
    );
    assert!(second.contains("2 of 2 quotes verified"), "{second}");
    assert!(
        !second.contains("built in 1911"),
        "only what changed: {second}"
    );
    // A change of the source is noticed, too.
    let next = scratch(
        "watched.source",
        "The quay was built in 1912.\nIt was lost in 1931.\n",
    );
    fs::rename(next, &source).expect("it can be replaced");
    let third = until("verified");
    assert!(third.contains("was verified: "), "{third}");
    child.kill().expect("it runs still");
    child.wait().expect("it ends");
}

#[test]
fn watch_needs_a_file() {
    let source = scratch("lone.txt", SOURCE);
    let source = source.to_str().expect("plain");
    pincite(&["verify", "--watch", "--source", source], b"x").expect_usage_error(&["as a file"]);
}
