//! Reports of `pincite verify` for programs and people, and `--watch`.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use json::Value;

use super::verify;
use crate::harness::{PINCITE, parse, pincite, scratch};

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
    let broken = scratch("broken.pdf", "%PDF-1.4 broken");
    let report = run("junit", &["--source", super::path_text(&broken)]).expect(1);
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
    let broken = scratch("unreadable.pdf", "%PDF-1.4 broken");
    let report = run("html", &["--source", super::path_text(&broken)]).expect(1);
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
        "aria-label=\"citation 2: not found\"",
        "<del>",
        "<ins>",
        "cannot read ",
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

/// Checks that every member of a JSON value is in a schema, with the right type.
fn check_schema(root: &Value, schema: &Value, value: &Value, path: &str) {
    let mut parts = vec![schema];
    let mut known: Vec<(&str, &Value)> = Vec::new();
    let mut types = Vec::new();
    let mut items = None;
    let mut others = None;
    while let Some(part) = parts.pop() {
        if let Some(name) = part["$ref"].as_str() {
            let name = name.strip_prefix("#/$defs/").expect("a definition");
            assert_ne!(root["$defs"][name], Value::Null, "{name} is not defined");
            parts.push(&root["$defs"][name]);
        }
        parts.extend(part["allOf"].as_array().unwrap_or_default());
        if part["anyOf"].as_array().is_some() {
            return;
        }
        types.extend(part["type"].as_str());
        known.extend(
            part["properties"]
                .as_object()
                .into_iter()
                .flat_map(json::Map::iter),
        );
        items = items.or(Some(&part["items"]).filter(|items| **items != Value::Null));
        others =
            others.or(Some(&part["additionalProperties"]).filter(|part| **part != Value::Null));
    }
    let matches = |name: &str| match value {
        Value::Object(_) => name == "object",
        Value::Array(_) => name == "array",
        Value::String(_) => name == "string",
        Value::Number(_) => name == "number" || name == "integer",
        Value::Bool(_) => name == "boolean",
        Value::Null => false,
    };
    assert!(
        types.iter().all(|name| matches(name)),
        "{path}: {types:?} {}",
        value.to_json()
    );
    for (at, item) in value.as_array().unwrap_or_default().iter().enumerate() {
        check_schema(
            root,
            items.expect("a schema of items"),
            item,
            &format!("{path}/{at}"),
        );
    }
    for (name, member) in value.as_object().into_iter().flat_map(json::Map::iter) {
        let path = format!("{path}/{name}");
        let found = known
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, schema)| *schema);
        let schema = found
            .or(others)
            .unwrap_or_else(|| panic!("{path} is not in the schema"));
        check_schema(root, schema, member, &path);
    }
}

#[test]
fn json_reports_match_the_published_schemas() {
    for (names, file) in [
        ("g2", "verify-report.schema.json"),
        ("g3", "verify-report.g3.schema.json"),
    ] {
        let path = format!("{}/../../docs/{file}", env!("CARGO_MANIFEST_DIR"));
        let schema = parse(&std::fs::read_to_string(path).expect("the schema is published"));
        let report = run("json", &["--names", names]).expect(1).json();
        check_schema(&schema, &schema, &report, "");
        let harbour = format!("{}/../../samples/harbour.txt", env!("CARGO_MANIFEST_DIR"));
        let answer = "It “was 85 metres long” (harbour.txt, p. 9). It “was long” (x.pdf, p. 1). \
                      <cite attachment_id='harbour.txt' full_phrase='It was 84 metres [...] of oak' line_ids='3,4' />";
        let args = [
            "-", "--source", &harbour, "--format", "json", "--names", names,
        ];
        let report = verify(&args, answer).expect(1).json();
        assert!(
            report["verifications"]
                .as_object()
                .is_some_and(|all| all.len() >= 3),
            "{}",
            report.to_json()
        );
        check_schema(&schema, &schema, &report, "");
    }
}

#[test]
fn chips_and_entries_have_one_number_in_the_order_of_the_answer() {
    let source = scratch(
        "order.txt",
        "High tide is at noon on Sunday. Low tide is at six. The quay is old.",
    );
    let answer = "It says “Low tide is at six” (order.txt, p. 1), then [7], then [3], then [7] again.\n\n<<<CITATION_DATA>>>\n\
        {\"order.txt\":[{\"id\":3,\"full_phrase\":\"The quay is old\"},{\"id\":7,\"full_phrase\":\"High tide is at noon\"}]}\n<<<END_CITATION_DATA>>>\n";
    let args = [
        "-",
        "--source",
        super::path_text(&source),
        "--format",
        "html",
    ];
    let report = verify(&args, answer).expect(0);
    let html = report.text();
    let labels: Vec<&str> = values(html, "aria-label")
        .into_iter()
        .filter(|label| label.starts_with("citation "))
        .collect();
    let numbers = ["1", "2", "3", "2"].map(|number| format!("citation {number}: verified"));
    assert_eq!(labels, numbers);
    let entries: Vec<&str> = html
        .split("<span class=\"number\">")
        .skip(1)
        .filter_map(|rest| rest.split('<').next())
        .collect();
    assert_eq!(entries, ["1", "2", "3"]);
    assert!(
        html.contains("The answer marks it <code>[7]</code>"),
        "{html}"
    );
    // Numbers of markers that ascend are kept.
    let answer = answer
        .replace("“Low tide is at six” (order.txt, p. 1), then [7], ", "")
        .replace("[7] again", "[7]");
    let report = verify(&args, &answer).expect(0);
    let labels: Vec<&str> = values(report.text(), "aria-label")
        .into_iter()
        .filter(|label| label.starts_with("citation "))
        .collect();
    assert_eq!(labels, ["citation 3: verified", "citation 7: verified"]);
}

#[test]
fn tables_of_the_answer_scroll_by_themselves() {
    let source = scratch("table.txt", "High tide is at noon.");
    let args = [
        "-",
        "--source",
        super::path_text(&source),
        "--format",
        "html",
    ];
    let report = verify(&args, "| a | b |\n|---|---|\n| 1 | 2 |\n").expect(0);
    let html = report.text();
    assert!(
        html.contains(
            "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Table\"><table>"
        ),
        "{html}"
    );
    assert!(
        html.contains("</table></div>") && html.contains("<td data-name=\"Pages\">1</td>"),
        "{html}"
    );
}
