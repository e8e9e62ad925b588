//! Failures of the storage, and recovery from them.

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Duration;

use store::{
    AttachmentId, DocumentStore, LogBatch, NewAttachment, ORIGINAL, OpenOptions, SqliteStore,
    StoreError, ThreadId, ThreadStore, Timestamp,
};

use crate::sqlite::{begin, local};

fn open(directory: &Path) -> SqliteStore {
    SqliteStore::open(&quick(directory)).expect("a store")
}

fn quick(directory: &Path) -> OpenOptions {
    OpenOptions {
        busy_timeout: Duration::from_millis(50),
        ..OpenOptions::new(directory)
    }
}

fn thread() -> ThreadId {
    ThreadId::new("t").expect("an id")
}

/// Returns an event that cannot be compressed.
fn batch(bytes: usize) -> LogBatch {
    let mut event = vec![0; bytes];
    blake3::Hasher::new().finalize_xof().fill(&mut event);
    let mut batch = LogBatch::new();
    batch.push(&event);
    batch
}

fn file(id: &str, bytes: &'static [u8]) -> NewAttachment {
    NewAttachment {
        id: AttachmentId::new(id).expect("an id"),
        name: id.to_owned(),
        media_type: "text/plain".to_owned(),
        original: bytes.into(),
        end_user: None,
        origin: None,
        created: Timestamp(0),
        expires: None,
    }
}

fn blob_files(directory: &Path) -> usize {
    let folders = fs::read_dir(directory.join("blobs")).expect("blobs");
    let count = |folder: fs::DirEntry| fs::read_dir(folder.path()).expect("a folder").count();
    folders.map(|folder| count(folder.expect("a folder"))).sum()
}

#[test]
fn a_full_disk_refuses_loses_nothing_and_recovers() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = open(directory.path());
    let run = begin(&store, "t", "r");
    store.append(run, batch(100)).wait().expect("there is room");
    store.set_max_bytes(Some(400_000));
    let mut stored = 1;
    let failure = loop {
        match store.append(run, batch(50_000)).wait() {
            Ok(first) => {
                stored += 1;
                assert_eq!(first, stored);
            }
            Err(failure) => break failure,
        }
    };
    assert_eq!(failure, StoreError::Full);
    assert!(failure.is_storage());
    // Everything that was acknowledged can be read.
    let events = store
        .events(&local(), &thread(), 0, 1_000)
        .wait()
        .expect("read");
    assert_eq!(events.last, stored);
    // Jobs that share a transaction are refused one by one.
    let waiting: Vec<_> = (0..8).map(|_| store.append(run, batch(50_000))).collect();
    for answer in waiting {
        assert_eq!(answer.wait(), Err(StoreError::Full));
    }
    store.set_max_bytes(None);
    assert_eq!(store.append(run, batch(50_000)).wait(), Ok(stored + 1));
}

#[test]
fn a_locked_database_is_an_error_until_it_is_free() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = open(directory.path());
    let run = begin(&store, "t", "r");
    let other = rusqlite::Connection::open(directory.path().join("pincite.db")).expect("open");
    other.execute_batch("BEGIN IMMEDIATE").expect("locked");
    assert_eq!(store.check_writable().wait(), Err(StoreError::Locked));
    assert_eq!(store.append(run, batch(9)).wait(), Err(StoreError::Locked));
    // Reads still work.
    let events = store
        .events(&local(), &thread(), 0, 9)
        .wait()
        .expect("read");
    assert_eq!(events.last, 0);
    other.execute_batch("COMMIT").expect("freed");
    assert_eq!(store.append(run, batch(9)).wait(), Ok(1));
    assert_eq!(store.check_writable().wait(), Ok(()));
    // Without a place for files nothing new can be attached.
    let staged = directory.path().join("blobs/staged");
    fs::remove_dir(&staged).expect("it is empty");
    assert!(
        store
            .check_writable()
            .wait()
            .is_err_and(|error| error.is_storage())
    );
    fs::create_dir(&staged).expect("created");
    assert_eq!(store.check_writable().wait(), Ok(()));
    assert_eq!(blob_files(directory.path()), 0, "nothing is left behind");
}

#[cfg(unix)]
#[test]
fn an_existing_data_directory_is_restricted_to_its_owner() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| fs::metadata(path).expect("it exists").permissions().mode() & 0o777;
    let allow_all = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is ours");
    };
    let outer = tempfile::tempdir().expect("a directory");
    let directory = outer.path().join("data");
    let database = directory.join("pincite.db");
    fs::create_dir(&directory).expect("created");
    allow_all(&directory, 0o755);
    drop(open(&directory));
    assert_eq!((mode(&directory), mode(&database)), (0o700, 0o600), "empty");
    allow_all(&directory, 0o775);
    allow_all(&database, 0o644);
    drop(open(&directory));
    assert_eq!((mode(&directory), mode(&database)), (0o700, 0o600), "used");
    // A directory with other files is not ours to close; the database in it is.
    let shared = outer.path().join("shared");
    fs::create_dir(&shared).expect("created");
    allow_all(&shared, 0o755);
    fs::write(shared.join("notes.txt"), "notes").expect("written");
    drop(open(&shared));
    assert_eq!(
        (mode(&shared), mode(&shared.join("pincite.db"))),
        (0o755, 0o600)
    );
}

#[test]
fn damage_is_reported() {
    let directory = tempfile::tempdir().expect("a directory");
    {
        let store = open(directory.path());
        let run = begin(&store, "t", "r");
        for _ in 0..1_000 {
            store.append(run, batch(2_000)).wait().expect("stored");
        }
    }
    let path = directory.path().join("pincite.db");
    let whole = fs::read(&path).expect("read");
    let mut file = fs::File::options().write(true).open(&path).expect("open");
    // The schema is on the first pages and stays intact.
    let from = whole.len() / 2;
    file.seek(SeekFrom::Start(from as u64)).expect("seek");
    file.write_all(&vec![0xa5; whole.len() - from])
        .expect("write");
    {
        let store = open(directory.path());
        let events = store.events(&local(), &thread(), 0, 10_000).wait();
        assert!(
            matches!(events, Err(StoreError::Corrupt { .. })),
            "{events:?}"
        );
        // Other data can still be read.
        assert!(store.thread(&local(), &thread()).wait().is_ok());
        // The store works again once the file is repaired.
        fs::write(&path, &whole).expect("write");
        let events = store.events(&local(), &thread(), 0, 10_000).wait();
        assert_eq!(events.expect("read").last, 1_000);
    }
    fs::write(&path, vec![7; 8_192]).expect("write");
    let refused = SqliteStore::open(&quick(directory.path())).map(|_| ());
    assert!(
        matches!(refused, Err(StoreError::Corrupt { .. })),
        "{refused:?}"
    );
}

#[test]
fn a_damaged_or_missing_blob_is_reported() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = open(directory.path());
    let attached = store
        .attach(&local(), file("a", b"tide"))
        .wait()
        .expect("stored");
    let id = attached.attachment.document.id;
    let name = id.to_string();
    let path = directory
        .path()
        .join("blobs")
        .join(&name[..2])
        .join(&name[2..]);
    let read = || store.part(&local(), id, ORIGINAL, Timestamp(0)).wait();
    assert_eq!(read().expect("read").as_deref(), Some(&b"tide"[..]));
    fs::write(&path, b"ride").expect("write");
    assert!(matches!(read(), Err(StoreError::Corrupt { .. })));
    fs::remove_file(&path).expect("remove");
    assert!(matches!(read(), Err(StoreError::Corrupt { .. })));
    fs::write(&path, b"tide").expect("write");
    assert_eq!(read().expect("read").as_deref(), Some(&b"tide"[..]));
}

#[test]
fn unreferenced_blobs_are_removed() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = open(directory.path());
    for (id, bytes) in [("a", &b"one"[..]), ("b", b"one"), ("c", b"two")] {
        store
            .attach(&local(), file(id, bytes))
            .wait()
            .expect("stored");
    }
    assert_eq!(blob_files(directory.path()), 2);
    for (id, left) in [("a", 2), ("b", 1), ("c", 0)] {
        let id = AttachmentId::new(id).expect("an id");
        assert_eq!(store.detach(&local(), &id).wait(), Ok(true));
        // Blobs of a job are removed before the next job completes.
        store.expire(Timestamp(0)).wait().expect("expired");
        assert_eq!(blob_files(directory.path()), left);
    }
    drop(store);
    // A crash can leave a temporary file, and a blob without a reference.
    fs::write(directory.path().join("blobs/staged/1-1"), b"half").expect("write");
    fs::create_dir_all(directory.path().join("blobs/ab")).expect("a folder");
    fs::write(directory.path().join("blobs/ab/cdef"), b"lost").expect("write");
    let options = quick(directory.path()).server("test");
    drop(SqliteStore::open(&options).expect("a store"));
    assert_eq!(blob_files(directory.path()), 0);
}

#[test]
fn a_directory_has_one_server_and_other_programs() {
    let directory = tempfile::tempdir().expect("a directory");
    let server = || SqliteStore::open(&quick(directory.path()).server("process 4711"));
    let first = server().expect("the first");
    match server().map(|_| ()) {
        Err(StoreError::InUse {
            holder,
            directory: named,
        }) => {
            assert_eq!(holder, "process 4711");
            assert_eq!(named, directory.path());
        }
        other => panic!("{other:?}"),
    }
    let beside = open(directory.path());
    let run = begin(&beside, "t", "r");
    beside.append(run, batch(9)).wait().expect("stored");
    let events = first
        .events(&local(), &thread(), 0, 9)
        .wait()
        .expect("read");
    assert_eq!(events.last, 1);
    drop(first);
    server().expect("the next");
}

#[test]
fn newer_schemas_are_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    drop(open(directory.path()));
    let other = rusqlite::Connection::open(directory.path().join("pincite.db")).expect("open");
    other.pragma_update(None, "user_version", 999).expect("set");
    let refused = SqliteStore::open(&quick(directory.path())).map(|_| ());
    assert!(
        matches!(refused, Err(StoreError::Newer { found: 999, .. })),
        "{refused:?}"
    );
}

#[test]
fn older_schemas_are_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    drop(open(directory.path()));
    let other = rusqlite::Connection::open(directory.path().join("pincite.db")).expect("open");
    other.pragma_update(None, "user_version", 12).expect("set");
    let refused = SqliteStore::open(&quick(directory.path())).map(|_| ());
    let error = refused.expect_err("an older schema");
    assert!(
        matches!(error, StoreError::Older { found: 12, .. }),
        "{error:?}"
    );
    assert!(error.to_string().contains("schema 12"), "{error}");
    assert!(error.hint().contains("start with an empty one"));
}

#[test]
fn a_directory_that_cannot_be_created_is_reported() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("file");
    fs::write(&file, b"").expect("write");
    let refused = SqliteStore::open(&quick(&file.join("data"))).map(|_| ());
    assert!(matches!(refused, Err(StoreError::Io { .. })), "{refused:?}");
}
