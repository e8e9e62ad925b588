//! A data directory that is read only, locked, damaged or full: errors have hints, no data is lost, and the
//! server recovers when the cause is gone.

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, mpsc};
use std::thread;

use crate::harness::gateway::Gateway;
use crate::harness::upstream::{EVENT_STREAM, Upstream};
use crate::harness::{
    CommandOutput, PINCITE, RUN_FINISHED, RUN_STARTED, parse, poll_until, run, scratch, sse,
    unused_path,
};
use rusqlite::Connection;

/// Returns a path at which nothing exists. An earlier execution may have left folders that are read only.
fn folder(name: &str) -> PathBuf {
    let kept = scratch("marker", "").with_file_name(name);
    for folder in [kept.clone(), kept.join("blobs/staged")] {
        if folder.exists() {
            set_writable(&folder, true);
        }
    }
    unused_path(name)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("plain")
}

/// Returns the command without the privilege of root to ignore permissions.
fn unprivileged() -> Command {
    let is_root = fs::metadata("/proc/self").expect("a process").uid() == 0;
    if !is_root {
        return Command::new(PINCITE);
    }
    let mut command = Command::new("setpriv");
    command.args(["--bounding-set=-dac_override,-dac_read_search", PINCITE]);
    command
}

fn set_writable(path: &Path, yes: bool) {
    let mode = if yes { 0o755 } else { 0o555 };
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is ours");
}

/// Expects that the command fails with an error that contains the words.
fn expect_rejected(mut command: Command, args: &[&str], words: &[&str]) -> CommandOutput {
    command.args(args);
    let ended = run(command, b"");
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    for word in words {
        assert!(ended.stderr.contains(word), "'{word}': {}", ended.stderr);
    }
    ended
}

fn serve(data: &Path) -> Vec<&str> {
    vec!["serve", "--listen", "127.0.0.1:0", "--data", text(data)]
}

/// Returns an agent that sends `count` deltas of a kilobyte.
fn replying(pieces: usize) -> Upstream {
    let mut events = vec![
        RUN_STARTED.to_owned(),
        r#"{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}"#.to_owned(),
    ];
    let mut noise = crate::harness::RandomLetters::default();
    events.extend((0..pieces).map(|_| {
        let filler = noise.letters(1_000);
        format!(r#"{{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"{filler}"}}"#)
    }));
    events.push(r#"{"type":"TEXT_MESSAGE_END","messageId":"m"}"#.to_owned());
    events.push(RUN_FINISHED.to_owned());
    Upstream::replying(format!("{EVENT_STREAM}{}", sse(&events)))
}

fn ask(gateway: &Gateway, thread: &str, run: &str) -> (u16, String) {
    let input = format!(
        r#"{{"threadId":"{thread}","runId":"{run}","messages":[{{"id":"u","role":"user","content":"q"}}]}}"#
    );
    let headers = "Content-Type: application/json\r\n";
    gateway.request("POST", "/agents/up", headers, input.as_bytes())
}

/// Returns the number of events in a response and the last one.
fn told(answer: &str) -> (usize, &str) {
    let with_numbered_ids = answer.lines().filter(|line| line.starts_with("id: "));
    let last = answer.lines().rfind(|line| line.starts_with("data: "));
    (with_numbered_ids.count(), last.unwrap_or_default())
}

/// Returns the number of events in the log.
fn logged(gateway: &Gateway, thread: &str) -> usize {
    let (mut after, mut count) = ("0".to_owned(), 0);
    loop {
        let path = format!("/threads/{thread}/events?limit=1000&after={after}");
        let (status, page) = gateway.request("GET", &path, "Accept: application/json\r\n", b"");
        assert_eq!(status, 200, "{page}");
        let page = parse(&page);
        count += page["items"].as_array().expect("items").len();
        match &page["next"] {
            json::Value::Null => return count,
            next => after = next.to_json(),
        }
    }
}

#[test]
fn read_only_directory_is_reported_and_works_after_repair() {
    let data = folder("storage-read-only");
    fs::create_dir_all(&data).expect("a folder");
    set_writable(&data, false);
    expect_rejected(
        unprivileged(),
        &serve(&data),
        &["cannot be written", "make the data directory writable"],
    );
    let mut doctor = unprivileged();
    doctor.args(["doctor", "--json", "--data", text(&data)]);
    let doctor = run(doctor, b"");
    assert_eq!(doctor.code, Some(1), "{}", doctor.stderr);
    assert!(
        doctor.text().contains("is not writable"),
        "{}",
        doctor.text()
    );
    set_writable(&data, true);

    let upstream = replying(3);
    let agent = format!("up={}", upstream.url);
    let mut command = unprivileged();
    command.args(["serve", "--listen", "127.0.0.1:0", "--log-format", "json"]);
    command.args(["--data", text(&data), "--upstream", &agent]);
    let gateway = Gateway::from_command(command);
    let (status, answer) = ask(&gateway, "t", "r1");
    assert_eq!(status, 200, "{answer}");
    // Files cannot be stored, but the database still works.
    let staged = data.join("blobs").join("staged");
    set_writable(&staged, false);
    let (status, answer) = gateway.attach("a", "a.txt", "tide");
    assert_eq!(status, 503, "{}", answer.to_json());
    let error = &answer["error"];
    assert_eq!(error["code"].as_str(), Some("storage"));
    let hint = error["hint"].as_str().unwrap_or_default();
    assert!(hint.contains("writable"), "{hint}");
    assert_eq!(gateway.request("GET", "/documents/a", "", b"").0, 404);
    let (status, answer) = ask(&gateway, "t", "r2");
    assert!(status == 200 && answer.contains("RUN_FINISHED"), "{answer}");
    set_writable(&staged, true);
    assert_eq!(gateway.attach("a", "a.txt", "tide").0, 200);
}

#[test]
fn locked_database_is_reported_until_it_is_free() {
    let data = folder("storage-locked");
    let upstream = replying(3);
    let agent = format!("up={}", upstream.url);
    let gateway = Gateway::start(&["--data", text(&data), "--upstream", &agent]);
    let (status, before) = ask(&gateway, "t", "r1");
    assert_eq!(status, 200);
    let database = data.join("pincite.db");
    let other = Connection::open(&database).expect("a database");
    other.execute_batch("BEGIN IMMEDIATE").expect("locked");
    let (status, answer) = ask(&gateway, "t", "r2");
    assert_eq!(status, 503, "{answer}");
    let error = parse(&answer)["error"].clone();
    assert_eq!(error["code"].as_str(), Some("storage"));
    assert!(
        error["message"]
            .as_str()
            .is_some_and(|said| said.contains("nother program holds"))
    );
    assert!(
        error["hint"]
            .as_str()
            .is_some_and(|hint| hint.contains("End the program"))
    );
    // Reading still works.
    assert_eq!(logged(&gateway, "t"), told(&before).0);
    other.execute_batch("COMMIT").expect("free");
    let (status, answer) = ask(&gateway, "t", "r2");
    assert!(status == 200 && answer.contains("RUN_FINISHED"), "{answer}");
    gateway.stop();

    // With an exclusive lock a run cannot even start.
    drop(other);
    let held = Connection::open(&database).expect("a database");
    held.pragma_update(None, "locking_mode", "EXCLUSIVE")
        .expect("set");
    held.execute_batch("BEGIN EXCLUSIVE; CREATE TABLE held (a); DROP TABLE held; COMMIT")
        .expect("held");
    let words = ["another program holds the database", "end the program"];
    expect_rejected(Command::new(PINCITE), &serve(&data), &words);
    drop(held);
    let gateway = Gateway::start(&["--data", text(&data), "--upstream", &agent]);
    assert_eq!(logged(&gateway, "t"), told(&before).0 + told(&answer).0);
}

#[test]
fn damaged_page_is_reported_and_a_backup_repairs_it() {
    let data = folder("storage-damaged");
    let copy = folder("storage-damaged-backup");
    let upstream = replying(400);
    let agent = format!("up={}", upstream.url);
    let gateway = Gateway::start(&["--data", text(&data), "--upstream", &agent]);
    let (_, answer) = ask(&gateway, "t", "r1");
    let (seen, _) = told(&answer);
    assert!(seen > 400, "{seen}");
    let backup = ["backup", "--data", text(&data), text(&copy)];
    run_pincite(&backup).expect(0);
    gateway.stop();

    let database = data.join("pincite.db");
    Connection::open(&database)
        .expect("a database")
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .expect("written");
    let length = fs::metadata(&database).expect("a file").len();
    let mut file = fs::File::options()
        .write(true)
        .open(&database)
        .expect("open");
    // Damages everything except the first pages, which contain the schema.
    file.seek(SeekFrom::Start(length / 2)).expect("seek");
    file.write_all(&vec![
        0xa5;
        usize::try_from(length - length / 2).expect("small")
    ])
    .expect("damage");
    drop(file);
    let gateway = Gateway::start(&["--data", text(&data), "--upstream", &agent]);
    let path = "/threads/t/events?after=0";
    let (status, answer) = gateway.request("GET", path, "Accept: application/json\r\n", b"");
    assert_eq!(status, 503, "{answer:.300}");
    let error = parse(&answer)["error"].clone();
    assert!(
        error["message"]
            .as_str()
            .is_some_and(|said| said.contains("damaged"))
    );
    assert!(
        error["hint"]
            .as_str()
            .is_some_and(|hint| hint.contains("restore a backup"))
    );
    assert_eq!(gateway.request("GET", "/healthz", "", b"").0, 200);
    gateway.stop();
    let doctor = run_pincite(&["doctor", "--json", "--data", text(&data)]);
    assert_eq!(doctor.code, Some(1), "{}", doctor.stderr);
    assert!(
        doctor.text().contains("restore a backup"),
        "{}",
        doctor.text()
    );

    run_pincite(&["restore", "--force", "--data", text(&data), text(&copy)]).expect(0);
    let gateway = Gateway::start(&["--data", text(&data), "--upstream", &agent]);
    assert_eq!(logged(&gateway, "t"), seen);
    let (status, answer) = ask(&gateway, "t", "r2");
    assert!(status == 200 && answer.contains("RUN_FINISHED"));
}

fn run_pincite(args: &[&str]) -> CommandOutput {
    let mut command = Command::new(PINCITE);
    command.args(args);
    run(command, b"")
}

/// Returns a command that runs with its own small disk, if the system allows it.
pub(crate) fn own_mounts() -> Option<&'static [&'static str]> {
    let ways: [&[&str]; 2] = [&["-m"], &["-r", "-m"]];
    ways.into_iter().find(|way| {
        let tried = Command::new("unshare")
            .args(*way)
            .args(["sh", "-c"])
            .arg("mount -t tmpfs none /mnt")
            .output();
        tried.is_ok_and(|tried| tried.status.success())
    })
}

/// Runs the agent until the disk is full, then again after space was freed, in the same process.
fn fills_and_recovers(gateway: &Gateway, words: &str, make_room: impl FnOnce()) {
    let (status, answer) = ask(gateway, "t", "r1");
    assert_eq!(status, 200);
    let (seen, last) = told(&answer);
    assert!(
        last.contains("RUN_ERROR") && last.contains("\"storage\""),
        "{last}"
    );
    assert!(last.contains(words), "{last}");
    assert_eq!(gateway.request("GET", "/healthz", "", b"").0, 200);
    // The same run again replays what is stored, with an end.
    let (status, again) = ask(gateway, "t", "r1");
    assert!(status == 200 && told(&again).0 >= seen);
    assert!(told(&again).1.contains("RUN_ERROR"), "{}", told(&again).1);
    make_room();
    let (status, answer) = ask(gateway, "t", "r2");
    let (more, last) = told(&answer);
    assert!(status == 200 && last.contains("RUN_FINISHED"), "{last}");
    // Events that were sent are stored, and the interrupted run is closed.
    let events = logged(gateway, "t");
    assert!(events > seen + more, "{events}");
    let (_, thread) = gateway.json("GET", "/threads/t", "");
    assert_eq!(thread["lastRun"]["status"].as_str(), Some("finished"));
}

#[test]
fn full_disk_is_reported_and_works_after_space_is_freed() {
    let upstream = replying(3_000);
    let agent = format!("up={}", upstream.url);
    let data = folder("storage-full");
    let serving = |script: &str, before: &[&str]| {
        let mut command = Command::new(before.first().unwrap_or(&"sh"));
        command.args(before.iter().skip(1));
        command.args((!before.is_empty()).then_some("sh"));
        command.args(["-c", script, PINCITE, "serve", "--log-format", "json"]);
        command.args([
            "--listen",
            "127.0.0.1:0",
            "--data",
            text(&data),
            "--upstream",
            &agent,
        ]);
        Gateway::from_command(command)
    };
    // A limit of 2 MiB per file, which can be raised while the process runs.
    let gateway = serving("trap '' XFSZ; ulimit -S -f 4096; exec \"$0\" \"$@\"", &[]);
    let process = gateway.process_id().to_string();
    fills_and_recovers(&gateway, "check the disk", || {
        let raised = Command::new("prlimit")
            .args(["--pid", &process, "--fsize=unlimited:unlimited"])
            .status();
        assert!(raised.expect("prlimit is there").success());
    });
    gateway.stop();

    // A disk of 24 MiB with 3 MiB left.
    let Some(way) = own_mounts() else {
        return;
    };
    let data = folder("storage-full");
    fs::create_dir_all(&data).expect("a folder");
    let place = text(&data);
    let script = format!(
        "mount -t tmpfs -o size=24m none '{place}' && head -c 22020096 /dev/zero > '{place}/filler' && exec \"$0\" \"$@\""
    );
    let before: Vec<&str> = ["unshare"].iter().chain(way).copied().collect();
    let gateway = serving(&script, &before);
    let filler = format!("/proc/{}/root{place}/filler", gateway.process_id());
    fills_and_recovers(&gateway, "free space", || {
        fs::remove_file(filler).expect("the process can be looked into");
    });
    gateway.stop();
}

/// Limits the size of files that a process may write, in bytes.
fn limit_file_size(process: u32, limit: &str) {
    let limited = Command::new("prlimit")
        .args(["--pid", &process.to_string()])
        .arg(format!("--fsize={limit}:unlimited"))
        .status();
    assert!(limited.expect("prlimit is there").success());
}

#[test]
fn a_run_ends_in_memory_while_nothing_can_be_written() {
    let (open_gate, gate) = mpsc::channel::<()>();
    let gate = Mutex::new(gate);
    let upstream = Upstream::with_handler(move |_, socket| {
        let start = r#"{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}"#;
        let first = sse(&[RUN_STARTED.to_owned(), start.to_owned()]);
        let _ = socket.write_all(format!("{EVENT_STREAM}{first}").as_bytes());
        // The rest follows when the test says so.
        let _ = gate.lock().expect("no panic").recv();
        let end = r#"{"type":"TEXT_MESSAGE_END","messageId":"m"}"#;
        let rest = sse(&[end.to_owned(), RUN_FINISHED.to_owned()]);
        let _ = socket.write_all(rest.as_bytes());
    });
    let data = folder("storage-unwritable");
    let agent = format!("up={}", upstream.url);
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\"", PINCITE, "serve"]);
    command.args(["--log-format", "json", "--listen", "127.0.0.1:0"]);
    command.args(["--data", text(&data), "--upstream", &agent]);
    let gateway = Gateway::from_command(command);
    assert_eq!(gateway.request("GET", "/readyz", "", b"").0, 200);
    let (first, subscribed) = thread::scope(|scope| {
        let first = scope.spawn(|| ask(&gateway, "t", "r1"));
        poll_until("the run has begun", || {
            let (status, _) = gateway.request("GET", "/threads/t", "", b"");
            (status == 200 && logged(&gateway, "t") > 2).then_some(())
        });
        let events = "/threads/t/events?after=0";
        let subscribed = scope.spawn(|| gateway.request("GET", events, "", b""));
        limit_file_size(gateway.process_id(), "1");
        open_gate.send(()).expect("the agent waits");
        (
            first.join().expect("no panic"),
            subscribed.join().expect("no panic"),
        )
    });
    let (seen, last) = told(&first.1);
    assert!(
        last.contains("RUN_ERROR") && last.contains("\"storage\""),
        "{last}"
    );
    assert_eq!(told(&subscribed.1).1, last, "the subscription ends, too");
    let (status, unready) = gateway.request("GET", "/readyz", "", b"");
    assert_eq!(status, 503, "{unready}");
    assert_eq!(gateway.request("GET", "/healthz", "", b"").0, 200);
    let (_, thread) = gateway.json("GET", "/threads/t", "");
    assert_eq!(thread["lastRun"]["status"].as_str(), Some("failed"));
    // The same run again, and a subscriber that comes later, receive what is stored and the end.
    let again = ask(&gateway, "t", "r1");
    let later = gateway.request("GET", "/threads/t/events?after=0", "", b"");
    for (status, answer) in [again, later] {
        assert_eq!((status, told(&answer)), (200, (seen, last)));
    }
    limit_file_size(gateway.process_id(), "unlimited");
    let is_ready = || (gateway.request("GET", "/readyz", "", b"").0 == 200).then_some(());
    poll_until("ready", is_ready);
    // The end is stored without a further request to the thread.
    poll_until("the end is stored", || {
        (logged(&gateway, "t") > seen).then_some(())
    });
    let (_, replayed) = ask(&gateway, "t", "r1");
    let (stored, last) = told(&replayed);
    assert!(stored > seen && last.contains("RUN_ERROR"), "{last}");
    assert_eq!(logged(&gateway, "t"), stored);
    open_gate.send(()).expect("the agent waits");
    let (status, answer) = ask(&gateway, "t", "r2");
    assert!(status == 200 && answer.contains("RUN_FINISHED"), "{answer}");
    let (_, thread) = gateway.json("GET", "/threads/t", "");
    assert_eq!(thread["lastRun"]["status"].as_str(), Some("finished"));
}
