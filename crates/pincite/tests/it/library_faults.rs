//! Faults of files and disks while documents are ingested and indexed.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use json::Value;

use crate::harness::gateway::Gateway;
use crate::harness::{PINCITE, parse, pincite, poll_until, unused_path};
use crate::serve::storage_failures::own_mounts;

#[test]
fn odd_files_never_stop_the_rest() {
    let papers = unused_path("odd-papers");
    fs::create_dir_all(papers.join("deep/deeper")).expect("a folder");
    fs::write(papers.join("tides.md"), "High tide is at noon.").expect("a file");
    fs::write(papers.join("deep/broken.pdf"), "%PDF-1.7 broken").expect("a file");
    fs::write(papers.join("deep/empty.txt"), "").expect("a file");
    // Links in a circle, to nothing, and to a file whose size is not that of its content.
    symlink(&papers, papers.join("deep/deeper/circle")).expect("a link");
    symlink("/nonexistent.md", papers.join("nothing.md")).expect("a link");
    symlink("/proc/version", papers.join("changing.txt")).expect("a link");
    let pipe = Command::new("mkfifo").arg(papers.join("pipe.txt")).status();
    assert!(pipe.expect("mkfifo is there").success());
    let data = unused_path("odd-data");
    let data = data.to_str().expect("text");
    let papers = papers.to_str().expect("text");
    let ran = pincite(&["ingest", papers, "--data", data], b"").expect(1);
    for words in [
        "changing.txt: it changes while it is read",
        "pipe.txt: it is not a file",
        "nothing.md",
        "broken.pdf",
    ] {
        assert!(ran.stderr.contains(words), "{words}: {}", ran.stderr);
    }
    let found = pincite(&["search", "tide", "--data", data], b"").expect(0);
    assert!(found.text().contains("tides.md"), "{}", found.text());
}

#[test]
fn a_folder_of_many_files_is_ingested() {
    let papers = unused_path("many-papers");
    for folder in 0..20 {
        let folder = papers.join(format!("{folder}"));
        fs::create_dir_all(&folder).expect("a folder");
        for file in 0..50 {
            let text = format!("Ship {file} of {}", folder.display());
            fs::write(folder.join(format!("{file}.txt")), text).expect("a file");
        }
    }
    let data = unused_path("many-data");
    let (papers, data) = (papers.to_str().expect("text"), data.to_str().expect("text"));
    let ran = pincite(&["ingest", papers, "--data", data], b"").expect(0);
    assert!(ran.text().contains("1000 new"), "{}", ran.text());
    let ran = pincite(&["ingest", papers, "--data", data], b"").expect(0);
    assert!(ran.text().contains("1000 unchanged"), "{}", ran.text());
}

#[test]
fn a_full_disk_delays_indexing_and_loses_nothing() {
    let Some(way) = own_mounts() else {
        return;
    };
    let data = unused_path("index-full");
    fs::create_dir_all(data.join("index")).expect("a folder");
    let place = data.to_str().expect("text");
    // The index is on a disk of 1 MiB that is full.
    let script = format!(
        "mount -t tmpfs -o size=1m none '{place}/index' && \
         (cat /dev/zero > '{place}/index/filler' 2>/dev/null || true) && exec \"$0\" \"$@\""
    );
    let mut command = Command::new("unshare");
    command
        .args(way)
        .args(["sh", "-c", &script, PINCITE, "serve"]);
    command.args([
        "--listen",
        "127.0.0.1:0",
        "--log-format",
        "json",
        "--data",
        place,
    ]);
    let gateway = Gateway::from_command(command);
    let (status, body) = gateway.attach("tides", "tides.txt", "High tide is at noon.");
    assert_eq!(status, 200, "{body:?}");
    let entry = || {
        let (_, body) = gateway.request("GET", "/documents", "", b"");
        let listed = parse(&body);
        let items = listed["items"].as_array()?;
        let named = |item: &&Value| item["filename"].as_str() == Some("tides.txt");
        items.iter().find(named).cloned()
    };
    let waiting = entry().expect("it is listed");
    assert_ne!(waiting["state"].as_str(), Some("ready"));
    let filler = format!("/proc/{}/root{place}/index/filler", gateway.process_id());
    fs::remove_file(filler).expect("the process can be looked into");
    poll_until("the document is indexed", || {
        (entry()?["state"].as_str() == Some("ready")).then_some(())
    });
    let (_, body) = gateway.request("GET", "/search?q=tide", "", b"");
    assert!(body.contains("tides.txt"), "{body}");
}
