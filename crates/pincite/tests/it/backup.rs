//! `pincite backup`, `restore` and `check-data`, beside a server that uses the data.

use json::Value;

use crate::harness::gateway::Gateway;
use crate::harness::{pincite, unused_path};

fn run(gateway: &Gateway, thread: &str, run: &str) {
    let body = format!(r#"{{"threadId":"{thread}","runId":"{run}","messages":[]}}"#);
    let (status, events) = gateway.request("POST", "/agents/demo", "", body.as_bytes());
    assert!(status == 200 && events.contains("RUN_FINISHED"), "{events}");
}

fn threads(gateway: &Gateway) -> Vec<String> {
    let (_, listed) = gateway.json("GET", "/threads", "");
    let items = listed["items"].as_array().expect("items").iter();
    let ids = items.map(|item| item["id"].as_str().expect("an id").to_owned());
    let mut ids: Vec<String> = ids.collect();
    ids.sort_unstable();
    ids
}

#[test]
fn backup_check_and_restore_work_beside_a_running_server() {
    let (data, backup) = (unused_path("data-live"), unused_path("data-backup"));
    let (data, backup) = (
        data.to_str().expect("plain"),
        backup.to_str().expect("plain"),
    );
    let replaced = unused_path("data-live-replaced-1");
    let replaced = replaced.to_str().expect("plain");
    let gateway = Gateway::start(&["--data", data]);
    run(&gateway, "before", "r");
    pincite(&["backup", backup, "--data", data], b"").expect(0);
    pincite(&["backup", backup, "--data", data], b"").expect_usage_error(&["exists"]);
    run(&gateway, "after", "r");
    assert_eq!(threads(&gateway), ["after", "before"]);
    pincite(&["check-data", "--full", "--data", data], b"").expect(0);

    let refused = pincite(&["restore", backup, "--data", data], b"");
    refused.expect_usage_error(&["contains data", "--force"]);
    assert_eq!(threads(&gateway), ["after", "before"]);
    let restored = pincite(&["restore", backup, "--data", data, "--force"], b"").expect(0);
    assert_eq!(threads(&gateway), ["before"]);
    let (status, state) = gateway.json("GET", "/threads/before/state", "");
    assert_eq!(status, 200);
    assert_ne!(state["deepcitation"], Value::Null);
    // The replaced data is kept beside it, as a backup.
    assert!(restored.stderr.contains(replaced), "{}", restored.stderr);
    let again = unused_path("data-replaced-again");
    let again = again.to_str().expect("plain");
    pincite(&["restore", replaced, "--data", again], b"").expect(0);
    assert_eq!(
        threads(&Gateway::start(&["--data", again])),
        ["after", "before"]
    );
    // The server continues with the restored data.
    run(&gateway, "before", "r2");
    run(&gateway, "later", "r");
    assert_eq!(threads(&gateway), ["before", "later"]);
    pincite(&["check-data", "--full", "--data", data], b"").expect(0);
}

#[test]
fn rejects_directories_that_are_no_data() {
    let nothing = unused_path("data-none");
    let name = nothing.to_str().expect("plain");
    for command in [
        &["backup", "x", "--data", name][..],
        &["check-data", "--data", name],
    ] {
        pincite(command, b"").expect_usage_error(&["is no"]);
    }
    let refused = pincite(&["restore", name, "--data", name], b"");
    refused.expect_usage_error(&["not complete"]);
    assert!(!nothing.exists(), "nothing is made by looking");
}

#[test]
fn restores_to_a_new_or_empty_directory_only_from_a_complete_backup() {
    let (data, backup) = (
        unused_path("data-source"),
        unused_path("data-source-backup"),
    );
    let (name, copy) = (
        data.to_str().expect("plain"),
        backup.to_str().expect("plain"),
    );
    let gateway = Gateway::start(&["--data", name]);
    run(&gateway, "t", "r");
    drop(gateway);
    pincite(&["backup", copy, "--data", name], b"").expect(0);
    let target = unused_path("data-target");
    let to = target.to_str().expect("plain");
    for is_empty in [false, true] {
        let _ = std::fs::remove_dir_all(&target);
        if is_empty {
            std::fs::create_dir(&target).expect("a directory");
        }
        pincite(&["restore", copy, "--data", to], b"").expect(0);
        assert_eq!(threads(&Gateway::start(&["--data", to])), ["t"]);
    }
    let occupied = unused_path("data-occupied");
    std::fs::create_dir(&occupied).expect("a directory");
    std::fs::write(occupied.join("letter.txt"), "Dear Ada").expect("it can be written");
    let place = occupied.to_str().expect("plain");
    let refused = pincite(&["restore", copy, "--data", place, "--force"], b"");
    refused.expect_usage_error(&["neither empty nor a data directory"]);
    // An incomplete backup changes nothing.
    std::fs::remove_file(backup.join("manifest.json")).expect("it is there");
    let fresh = unused_path("data-fresh");
    let refused = pincite(
        &["restore", copy, "--data", fresh.to_str().expect("plain")],
        b"",
    );
    refused.expect_usage_error(&["not complete", "manifest.json"]);
    assert!(!fresh.exists());
}

#[test]
fn check_data_finds_damage() {
    let data = unused_path("data-damaged");
    let name = data.to_str().expect("plain");
    let gateway = Gateway::start(&["--data", name]);
    run(&gateway, "t", "r");
    drop(gateway);
    // Files of documents are checked against their hash.
    let mut files = vec![data.join("blobs")];
    let file = loop {
        let place = files.pop().expect("a file");
        if place.is_file() {
            break place;
        }
        let inside = std::fs::read_dir(&place).expect("a folder");
        files.extend(inside.map(|entry| entry.expect("an entry").path()));
    };
    std::fs::write(file, b"something else").expect("it can be written");
    pincite(&["check-data", "--data", name], b"").expect(0);
    let found = pincite(&["check-data", "--full", "--data", name], b"").expect(1);
    assert!(found.stderr.contains("damaged"), "{}", found.stderr);
}

#[test]
fn full_check_finds_a_damaged_page_and_a_backup_repairs_it() {
    let (data, backup) = (unused_path("data-page"), unused_path("data-page-backup"));
    let (name, copy) = (
        data.to_str().expect("plain"),
        backup.to_str().expect("plain"),
    );
    let gateway = Gateway::start(&["--data", name]);
    for at in 0..3 {
        run(&gateway, &format!("t{at}"), "r");
    }
    pincite(&["backup", copy, "--data", name], b"").expect(0);
    drop(gateway);
    // The last connection that closes writes the WAL into the database.
    pincite(&["check-data", "--full", "--data", name], b"").expect(0);
    let database = data.join("pincite.db");
    let mut bytes = std::fs::read(&database).expect("a database");
    for page in bytes.chunks_mut(4096).skip(8).step_by(3) {
        page[..64].fill(0x5a);
    }
    std::fs::write(&database, bytes).expect("it can be written");
    let found = pincite(&["check-data", "--full", "--data", name], b"").expect(1);
    assert!(found.stderr.contains("damaged"), "{}", found.stderr);
    pincite(&["restore", copy, "--data", name, "--force"], b"").expect(0);
    pincite(&["check-data", "--full", "--data", name], b"").expect(0);
    let gateway = Gateway::start(&["--data", name]);
    assert_eq!(threads(&gateway).len(), 3);
}
