//! `pincite ingest`, `search` and `reindex`, alone and beside a running server.

use std::fs;
use std::path::{Path, PathBuf};

use json::Value;

use crate::harness::gateway::Gateway;
use crate::harness::{parse, pincite, poll_until, unused_path};

const TIDES: &str = "# Tides\n\nHigh tide is at noon. The harbour gates open one hour earlier.\n";
const SHIPS: &str = "# Ships\n\nThe old harbour had nine ships. Its gates were made of oak.\n";

/// Folder with two documents, and a data directory.
struct LibraryFolders {
    papers: PathBuf,
    data: String,
}

impl LibraryFolders {
    fn new(name: &str) -> Self {
        let papers = unused_path(&format!("{name}-papers"));
        fs::create_dir_all(&papers).expect("a folder");
        fs::write(papers.join("tides.md"), TIDES).expect("a file");
        fs::write(papers.join("ships.md"), SHIPS).expect("a file");
        let data = unused_path(&format!("{name}-data"));
        Self {
            papers,
            data: text(&data),
        }
    }

    fn run(&self, args: &[&str], code: i32) -> String {
        let args = [args, &["--data", &self.data]].concat();
        let ran = pincite(&args, b"").expect(code);
        format!("{}{}", ran.text(), ran.stderr)
    }

    fn ingest(&self, args: &[&str], code: i32) -> String {
        let papers = text(&self.papers);
        self.run(&[&["ingest", &papers], args].concat(), code)
    }

    fn names(&self, query: &str) -> Vec<String> {
        let found = self.search(&[query]);
        let items = found["items"].as_array().expect("items");
        let name = |item: &Value| item["filename"].as_str().expect("a name").to_owned();
        items.iter().map(name).collect()
    }

    fn search(&self, args: &[&str]) -> Value {
        let args = [
            &["search"],
            args,
            &["--format", "json", "--data", &self.data],
        ]
        .concat();
        pincite(&args, b"").expect(0).json()
    }
}

/// Returns the first item of an array.
fn first(array: &Value) -> &Value {
    let items = array.as_array().expect("an array");
    items.first().expect("an item")
}

fn text(path: &Path) -> String {
    path.to_str().expect("a path in UTF-8").to_owned()
}

/// Repeats a check until it holds. The server works in the background.
fn eventually(mut check: impl FnMut() -> bool) {
    poll_until("the work of the server", || check().then_some(()));
}

#[test]
fn folders_are_ingested_once_and_searched() {
    let folders = LibraryFolders::new("ingest");
    fs::write(folders.papers.join("broken.pdf"), "%PDF-1.7 broken").expect("a file");
    fs::write(folders.papers.join("picture.bin"), "x").expect("a file");
    let ingested = folders.ingest(&["--label", "sea"], 1);
    assert!(
        ingested.contains("3 new, 0 changed, 0 unchanged, 1 failed"),
        "{ingested}"
    );
    assert!(ingested.contains("broken.pdf"), "{ingested}");
    fs::remove_file(folders.papers.join("broken.pdf")).expect("removed");
    let again = folders.ingest(&["--label", "sea"], 0);
    assert!(again.contains("0 new, 0 changed, 2 unchanged"), "{again}");
    assert!(
        again.contains("no longer exists") && again.contains("--prune"),
        "{again}"
    );
    let pruned = folders.ingest(&["--prune"], 0);
    assert!(pruned.contains("1 removed"), "{pruned}");

    let found = folders.search(&["harbor gate", "--label", "sea", "--explain"]);
    let hit = first(&found["items"]);
    assert_eq!(hit["pages"].to_json(), "[1]");
    assert!(
        hit["explain"]["terms"]
            .as_array()
            .is_some_and(|terms| !terms.is_empty())
    );
    assert!(
        hit["snippet"]["highlights"]
            .as_array()
            .is_some_and(|marks| marks.len() > 1)
    );
    let one = folders.search(&["harbour", "--document", "tides.md"]);
    assert_eq!(one["items"].as_array().map(<[Value]>::len), Some(1));
    let shown = folders.run(&["search", "\"high tide\""], 0);
    assert!(
        shown.contains("tides.md") && shown.contains("High tide is at noon"),
        "{shown}"
    );
    assert!(
        folders
            .run(&["search", "zebra"], 1)
            .contains("no passage found")
    );
    let unknown = folders.run(&["search", "tide", "--document", "no.md"], 2);
    assert!(unknown.contains("no.md"), "{unknown}");

    // A changed file replaces its earlier version.
    fs::write(
        folders.papers.join("tides.md"),
        TIDES.replace("noon", "midnight"),
    )
    .expect("a file");
    let changed = folders.ingest(&[], 0);
    assert!(
        changed.contains("0 new, 1 changed, 1 unchanged"),
        "{changed}"
    );
    assert_eq!(folders.names("tide"), ["tides.md"]);
    assert!(folders.run(&["search", "tide"], 0).contains("midnight"));

    // A damaged index is made anew, with the same chunks.
    let oak = || first(&folders.search(&["oak"])["items"])["chunkId"].to_json();
    let chunk = oak();
    fs::remove_dir_all(Path::new(&folders.data).join("index")).expect("removed");
    assert!(
        folders
            .run(&["search", "oak"], 2)
            .contains("pincite reindex")
    );
    assert!(folders.run(&["reindex"], 0).contains("documents indexed"));
    assert_eq!(oak(), chunk);
}

#[test]
fn documents_from_standard_input_are_ingested() {
    let data = text(&unused_path("ingest-stdin"));
    let args = ["ingest", "-", "--name", "note.md", "--data", &data];
    let ran = pincite(&args, TIDES.as_bytes()).expect(0);
    assert!(ran.text().contains("1 new"), "{}", ran.text());
    let args = ["search", "tide", "--format", "json", "--data", &data];
    let found = pincite(&args, b"").expect(0).json();
    assert_eq!(first(&found["items"])["filename"].as_str(), Some("note.md"));
}

#[test]
fn commands_work_beside_a_running_server() {
    let folders = LibraryFolders::new("beside");
    // With an upstream there is no demo, whose document would be found as well.
    let gateway = Gateway::start(&[
        "--data",
        &folders.data,
        "--upstream",
        "off=http://127.0.0.1:9/",
    ]);
    let form = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a/quay.txt\"\r\n\r\nThe quay is long.\r\n\
                --x\r\nContent-Disposition: form-data; name=\"labels\"\r\n\r\nport, sea\r\n--x--\r\n";
    let headers = "Content-Type: multipart/form-data; boundary=x\r\n";
    let (status, body) = gateway.request("POST", "/documents", headers, form.as_bytes());
    assert_eq!(status, 201, "{body}");
    let id = parse(&body)["id"].as_str().expect("an id").to_owned();
    let get = |path: &str| {
        let (status, body) = gateway.request("GET", path, "", b"");
        assert_eq!(status, 200, "{path}: {body}");
        parse(&body)
    };
    let count = |path: &str| get(path)["items"].as_array().map_or(0, <[Value]>::len);
    eventually(|| count("/search?q=quay") == 1);
    let quay = first(&get("/search?q=quay&explain=true")["items"]).clone();
    assert_eq!(quay["filename"].as_str(), Some("quay.txt"));
    assert_eq!(quay["attachmentId"].as_str(), Some(id.as_str()));
    assert_eq!(
        first(&quay["explain"]["lists"])["list"].as_str(),
        Some("text")
    );

    // The server indexes what the command stores.
    let ingested = folders.ingest(&[], 0);
    assert!(ingested.contains("2 new"), "{ingested}");
    eventually(|| count("/search?q=harbour") == 2);
    assert_eq!(folders.names("quay"), ["quay.txt"]);

    // Chunks have boxes on their pages.
    let chunk = quay["chunkId"].as_str().expect("an id");
    let shown = get(&format!("/chunks/{chunk}"));
    assert!(
        shown["content"]
            .as_str()
            .is_some_and(|text| text.contains("The quay is long."))
    );
    let part = first(&first(&shown["pages"])["boxes"]);
    for side in ["x", "y", "width", "height"] {
        let share: f64 = part[side].to_json().parse().expect("a number");
        assert!((0.0..=1.0).contains(&share), "{side}: {share}");
    }

    // Labels and titles.
    let labels = get("/labels");
    assert_eq!(first(&labels["items"])["label"].as_str(), Some("port"));
    let change = br#"{"title":"Long quay","labels":["pier"]}"#;
    let (status, body) = gateway.request("PATCH", &format!("/documents/{id}"), "", change);
    assert_eq!(status, 200, "{body}");
    eventually(|| count("/search?q=quay&label=pier") == 1);
    assert_eq!(count("/search?q=quay&label=port"), 0);
    let titled = get("/search?q=quay&label=pier");
    assert_eq!(
        first(&titled["items"])["documentTitle"].as_str(),
        Some("Long quay")
    );

    // The index is made anew by the server.
    assert!(
        folders
            .run(&["reindex"], 0)
            .contains("documents indexed, 0 failed")
    );
    eventually(|| count("/search?q=quay") == 1);
    let (status, _) = gateway.request("DELETE", &format!("/documents/{id}"), "", b"");
    assert_eq!(status, 200);
    eventually(|| count("/search?q=quay") == 0);
}

#[test]
fn uploads_in_the_background_show_their_states() {
    let gateway = Gateway::start(&["--in-memory"]);
    let headers = "Content-Type: multipart/form-data; boundary=x\r\n";
    let upload = |name: &str, content: &str| {
        let form = format!(
            "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n{content}\r\n--x--\r\n"
        );
        gateway.request("POST", "/documents?wait=false", headers, form.as_bytes())
    };
    let (status, body) = upload("a.md", TIDES);
    assert_eq!(status, 202, "{body}");
    let (status, body) = upload("b.pdf", "%PDF-1.7 broken");
    assert_eq!(status, 202, "{body}");
    let state = |name: &str| {
        let (_, body) = gateway.request("GET", "/documents", "", b"");
        let listed = parse(&body);
        let items = listed["items"].as_array().expect("items");
        let item = items
            .iter()
            .find(|item| item["filename"].as_str() == Some(name));
        item.cloned().expect("the document is listed")
    };
    eventually(|| state("a.md")["state"].as_str() == Some("ready"));
    eventually(|| state("b.pdf")["state"].as_str() == Some("failed"));
    let failed = state("b.pdf");
    assert!(
        failed["reason"]
            .as_str()
            .is_some_and(|reason| !reason.is_empty())
    );
    assert!(failed["hint"].as_str().is_some_and(|hint| !hint.is_empty()));
}

#[test]
fn bad_searches_are_refused_or_answered() {
    let gateway = Gateway::start(&["--in-memory"]);
    let status = |query: &str| {
        let (status, body) = gateway.request("GET", &format!("/search?{query}"), "", b"");
        let _ = parse(&body);
        status
    };
    for refused in [
        "",
        "q=",
        "q=%3F%21",
        "q=%00%1b",
        "q=a&limit=0",
        "q=a&limit=101",
        "q=a&limit=x",
        "q=a&after=x",
        "q=a&mode=other",
        "q=a&mode=vector",
        "q=a&since=yesterday",
    ] {
        assert_eq!(status(refused), 422, "{refused}");
    }
    assert_eq!(status("q=a&document=unknown.pdf"), 404);
    let many: String = (0..1_500).map(|number| format!("w{number}+")).collect();
    let long = format!("q={}", "a".repeat(20_000));
    assert!([414, 422, 431].contains(&status(&long)));
    for answered in [
        "q=the+of+and",
        "q=%22high+tide",
        "q=%28a%2B%29%2B%24",
        "q=tide&label=none&language=xx",
        &format!("q={many}"),
    ] {
        assert_eq!(status(answered), 200, "{answered}");
    }
}
