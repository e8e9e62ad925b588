//! Backup, restore and check of a store that is in use.

use std::fs;
use std::path::Path;

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

fn copy_directory(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("created");
    for entry in fs::read_dir(from).expect("read").flatten() {
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        match source.is_dir() {
            true => copy_directory(&source, &target),
            false => drop(fs::copy(&source, &target).expect("copied")),
        }
    }
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
    let waiting = store.backup(&copy, &[]);
    let mut latest = 1;
    for _ in 0..50 {
        latest = append(&store, run);
    }
    waiting.wait().expect("made");
    let taken = store.backup(&copy, &[]).wait();
    assert!(matches!(taken, Err(StoreError::Conflict { .. })));

    // A copy of the backup can be opened as a store.
    let opened = place.path().join("opened");
    copy_directory(&copy, &opened);
    let copied = open(&opened);
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
    let is_incomplete = |refused: &Result<(), StoreError>, word: &str| match refused {
        Err(StoreError::IncompleteBackup { detail }) => detail.contains(word),
        _ => false,
    };
    assert!(is_incomplete(&nowhere, "no manifest.json"), "{nowhere:?}");

    attach(&store, "a", b"one");
    let copy = place.path().join("copy");
    store.backup(&copy, &["link.key"]).wait().expect("made");
    let database = copy.join("pincite.db");
    let blob = documents::ContentId::of(b"one").to_string();
    let blob = copy.join("blobs").join(&blob[..2]).join(&blob[2..]);
    let whole = fs::read(&database).expect("read");
    let mut damaged = whole.clone();
    damaged[4_096..].fill(0xa5);
    fs::write(&database, &damaged).expect("write");
    let refused = store.restore(&copy).wait();
    assert!(
        is_incomplete(&refused, "pincite.db has changed"),
        "{refused:?}"
    );
    fs::write(&database, &whole).expect("write");
    for change in [Some(&b"two"[..]), None] {
        match change {
            Some(other) => fs::write(&blob, other).expect("write"),
            None => fs::remove_file(&blob).expect("removed"),
        }
        let refused = store.restore(&copy).wait();
        assert!(is_incomplete(&refused, "blobs/"), "{refused:?}");
    }
    assert_eq!(append(&store, run), 2);
    fs::write(&blob, b"one").expect("write");
    store.restore(&copy).wait().expect("restored");
    assert_eq!(last(&store, "t"), Ok(1));
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_a_backup() {
    use std::os::unix::fs::PermissionsExt;

    let place = tempfile::tempdir().expect("a directory");
    let data = place.path().join("data");
    let store = open(&data);
    attach(&store, "a", b"one");
    fs::write(data.join("link.key"), b"secret").expect("write");
    let copy = place.path().join("copy");
    store.backup(&copy, &["link.key"]).wait().expect("made");
    let mut folders = vec![copy];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        let mode = |path: &std::path::Path| fs::metadata(path).expect("read").permissions().mode();
        assert_eq!(mode(&folder) & 0o777, 0o700, "{}", folder.display());
        for entry in fs::read_dir(&folder).expect("read").flatten() {
            let path = entry.path();
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    files += 1;
                    assert_eq!(mode(&path) & 0o777, 0o600, "{}", path.display());
                }
            }
        }
    }
    assert_eq!(files, 4, "database, blob, key and manifest");
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
