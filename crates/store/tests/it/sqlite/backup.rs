//! Backup, restore and check of a store that is in use.

use std::fs;

use store::{
    AttachmentId, CheckDepth, DocumentStore, LogBatch, NewAttachment, ORIGINAL, OpenRun,
    SqliteStore, StoreError, ThreadId, ThreadStore, Timestamp,
};

use crate::sqlite::{begin, local, open};

fn append(store: &SqliteStore, run: OpenRun) -> u64 {
    let mut batch = LogBatch::new();
    batch.push(b"event");
    store.append(run, batch).wait().expect("stored")
}

fn last(store: &SqliteStore, thread: &str) -> Result<u64, StoreError> {
    let thread = ThreadId::new(thread).expect("an id");
    let events = store.events(&local(), &thread, 0, 1).wait()?;
    Ok(events.last)
}

fn attach(store: &SqliteStore, id: &str, bytes: &'static [u8]) {
    let new = NewAttachment {
        id: AttachmentId::new(id).expect("an id"),
        name: id.to_owned(),
        media_type: "text/plain".to_owned(),
        original: bytes.into(),
        end_user: None,
        origin: None,
        created: Timestamp(0),
        expires: None,
    };
    store.attach(&local(), new).wait().expect("stored");
}

fn read(store: &SqliteStore, bytes: &[u8]) -> Option<Vec<u8>> {
    let id = documents::ContentId::of(bytes);
    let part = store.part(&local(), id, ORIGINAL, Timestamp(0)).wait();
    part.expect("read").map(|part| part.to_vec())
}

#[test]
fn a_backup_is_consistent_and_can_be_restored() {
    let place = tempfile::tempdir().expect("a directory");
    let (data, copy) = (place.path().join("data"), place.path().join("copy"));
    let store = open(&data);
    let run = begin(&store, "t", "r");
    append(&store, run);
    attach(&store, "a", b"one");
    attach(&store, "b", b"two");

    // Events are appended during the backup.
    let waiting = store.backup(&copy);
    let mut latest = 1;
    for _ in 0..50 {
        latest = append(&store, run);
    }
    waiting.wait().expect("made");
    let taken = store.backup(&copy).wait();
    assert!(matches!(taken, Err(StoreError::Conflict { .. })));

    // The copy can be opened as a store.
    let copied = open(&copy);
    let then = last(&copied, "t").expect("read");
    assert!((1..=latest).contains(&then));
    assert_eq!(read(&copied, b"two").as_deref(), Some(&b"two"[..]));
    assert_eq!(copied.check(CheckDepth::Full).wait(), Ok(Vec::new()));
    drop(copied);

    let gone = AttachmentId::new("b").expect("an id");
    store.detach(&local(), &gone).wait().expect("detached");
    attach(&store, "c", b"three");
    begin(&store, "u", "r");
    store.restore(&copy).wait().expect("restored");
    assert_eq!(last(&store, "t"), Ok(then));
    assert_eq!(
        last(&store, "u"),
        Err(StoreError::NotFound { what: "the thread" })
    );
    assert_eq!(read(&store, b"two").as_deref(), Some(&b"two"[..]));
    assert_eq!(read(&store, b"three"), None);
    let three = documents::ContentId::of(b"three").to_string();
    assert!(
        !data
            .join("blobs")
            .join(&three[..2])
            .join(&three[2..])
            .exists()
    );
    assert_eq!(store.check(CheckDepth::Full).wait(), Ok(Vec::new()));
    // The store still accepts events.
    assert_eq!(append(&store, run), then + 1);
    let left: Vec<_> = fs::read_dir(&data).expect("read").flatten().collect();
    assert!(
        left.iter()
            .all(|entry| !entry.file_name().to_string_lossy().contains("restore"))
    );
}

#[test]
fn other_directories_are_not_restored() {
    let place = tempfile::tempdir().expect("a directory");
    let store = open(&place.path().join("data"));
    let run = begin(&store, "t", "r");
    append(&store, run);
    let nowhere = store.restore(&place.path().join("nowhere")).wait();
    assert_eq!(nowhere, Err(StoreError::NotFound { what: "the backup" }));

    let copy = place.path().join("copy");
    store.backup(&copy).wait().expect("made");
    let file = copy.join("pincite.db");
    let mut damaged = fs::read(&file).expect("read");
    damaged[4_096..].fill(0xa5);
    fs::write(&file, &damaged).expect("write");
    let refused = store.restore(&copy).wait();
    assert!(
        matches!(refused, Err(StoreError::Corrupt { .. })),
        "{refused:?}"
    );
    assert_eq!(append(&store, run), 2);
}

#[test]
fn check_finds_damage() {
    let place = tempfile::tempdir().expect("a directory");
    let store = open(place.path());
    let run = begin(&store, "t", "r");
    for _ in 0..3 {
        append(&store, run);
    }
    attach(&store, "a", b"one");
    assert_eq!(store.check(CheckDepth::Quick).wait(), Ok(Vec::new()));
    let name = documents::ContentId::of(b"one").to_string();
    let blob = place.path().join("blobs").join(&name[..2]).join(&name[2..]);
    fs::write(&blob, b"two").expect("write");
    assert_eq!(store.check(CheckDepth::Quick).wait(), Ok(Vec::new()));
    assert_eq!(
        store.check(CheckDepth::Full).wait().expect("checked").len(),
        1
    );
    fs::remove_file(&blob).expect("removed");
    assert_eq!(
        store
            .check(CheckDepth::Quick)
            .wait()
            .expect("checked")
            .len(),
        1
    );
    fs::write(&blob, b"one").expect("write");

    let other = rusqlite::Connection::open(place.path().join("pincite.db")).expect("open");
    other
        .execute("DELETE FROM log WHERE place & 4294967295 = 2", [])
        .expect("deleted");
    let problems = store.check(CheckDepth::Quick).wait().expect("checked");
    assert_eq!(problems.len(), 1);
    assert!(problems[0].contains("gap before 3"), "{problems:?}");
}
