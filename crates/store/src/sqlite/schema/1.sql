-- Principals, documents, threads and their log. Moments are milliseconds since 1970.

CREATE TABLE principals (
    number INTEGER PRIMARY KEY,
    id     TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE documents (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,          -- the hash of the file, hexadecimal
    media_type TEXT NOT NULL,
    size       INTEGER NOT NULL,
    pages      INTEGER,
    title      TEXT,
    status     INTEGER NOT NULL,              -- 0 received, 1 ready, 2 failed
    reason     TEXT,
    created    INTEGER NOT NULL
) STRICT;

-- The file of a document ('original') and what was derived from it, as blobs.
CREATE TABLE parts (
    document INTEGER NOT NULL REFERENCES documents (number) ON DELETE CASCADE,
    name     TEXT NOT NULL,
    blob     TEXT NOT NULL,
    PRIMARY KEY (document, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX parts_by_blob ON parts (blob);

-- Blobs that may have lost their last reference; whoever removes them looks again.
CREATE TABLE orphans (
    blob TEXT NOT NULL PRIMARY KEY
) STRICT, WITHOUT ROWID;
CREATE TRIGGER parts_deleted AFTER DELETE ON parts BEGIN
    INSERT OR IGNORE INTO orphans VALUES (old.blob);
END;
CREATE TRIGGER parts_replaced AFTER UPDATE OF blob ON parts WHEN old.blob <> new.blob BEGIN
    INSERT OR IGNORE INTO orphans VALUES (old.blob);
END;

CREATE TABLE attachments (
    number    INTEGER PRIMARY KEY,
    principal INTEGER NOT NULL REFERENCES principals (number) ON DELETE CASCADE,
    id        TEXT NOT NULL,
    document  INTEGER NOT NULL REFERENCES documents (number),
    name      TEXT NOT NULL,
    end_user  TEXT,
    created   INTEGER NOT NULL,
    expires   INTEGER,
    UNIQUE (principal, id)
) STRICT;
CREATE INDEX attachments_by_time ON attachments (principal, created DESC, id DESC);
CREATE INDEX attachments_by_document ON attachments (document, principal, created DESC, id DESC);
CREATE INDEX attachments_by_expiry ON attachments (expires) WHERE expires IS NOT NULL;
-- A document goes with its last attachment, however that went.
CREATE TRIGGER attachments_deleted AFTER DELETE ON attachments
WHEN NOT EXISTS (SELECT 1 FROM attachments WHERE document = old.document) BEGIN
    DELETE FROM documents WHERE number = old.document;
END;

CREATE TRIGGER attachments_moved AFTER UPDATE OF document ON attachments
WHEN NOT EXISTS (SELECT 1 FROM attachments WHERE document = old.document) BEGIN
    DELETE FROM documents WHERE number = old.document;
END;

-- Numbers of threads and runs are never used again: an open run names them.
CREATE TABLE threads (
    number        INTEGER PRIMARY KEY AUTOINCREMENT,
    principal     INTEGER NOT NULL REFERENCES principals (number) ON DELETE CASCADE,
    id            TEXT NOT NULL,
    agent         TEXT NOT NULL,
    title         TEXT,
    archived      INTEGER NOT NULL DEFAULT 0,
    parent_thread TEXT,
    parent_run    TEXT,
    created       INTEGER NOT NULL,
    updated       INTEGER NOT NULL,
    -- The input of the last run: 16 bytes of hash for each of its messages.
    input_hashes  BLOB NOT NULL DEFAULT x'',
    UNIQUE (principal, id)
) STRICT;
CREATE INDEX threads_by_time ON threads (principal, updated DESC, id DESC);

CREATE TABLE runs (
    number   INTEGER PRIMARY KEY AUTOINCREMENT,
    thread   INTEGER NOT NULL REFERENCES threads (number) ON DELETE CASCADE,
    id       TEXT NOT NULL,
    agent    TEXT NOT NULL,
    status   INTEGER NOT NULL,                -- 0 open, 1 finished, 2 interrupted, 3 cancelled, 4 failed
    after    INTEGER NOT NULL,                -- the sequence before its first event
    last     INTEGER,
    started  INTEGER NOT NULL,
    ended    INTEGER,
    -- The input without its messages. Those are the first `shared` of the run before, and then `tail`:
    -- numbers of texts in LEB128.
    input    BLOB NOT NULL,
    shared   INTEGER NOT NULL,
    tail     BLOB NOT NULL,
    -- The last amendment that this run has told its client of.
    amended  INTEGER NOT NULL,
    UNIQUE (thread, id)
) STRICT;
CREATE INDEX runs_in_order ON runs (thread, number);
CREATE UNIQUE INDEX runs_open ON runs (thread) WHERE status = 0;

-- Messages, each spelling of one once per thread.
CREATE TABLE texts (
    number INTEGER PRIMARY KEY,
    thread INTEGER NOT NULL REFERENCES threads (number) ON DELETE CASCADE,
    hash   BLOB NOT NULL,
    json   BLOB NOT NULL,
    UNIQUE (thread, hash)
) STRICT;

-- Where reading a thread begins: its state and its conversation after the last run.
CREATE TABLE checkpoints (
    thread  INTEGER PRIMARY KEY REFERENCES threads (number) ON DELETE CASCADE,
    through INTEGER NOT NULL,
    state   BLOB NOT NULL,
    hashes  BLOB NOT NULL                     -- 16 bytes for each message
) STRICT;
CREATE TABLE messages (
    thread   INTEGER NOT NULL REFERENCES threads (number) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    id       TEXT NOT NULL,
    role     TEXT NOT NULL,
    text     INTEGER NOT NULL,
    PRIMARY KEY (thread, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE amendments (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    thread INTEGER NOT NULL REFERENCES threads (number) ON DELETE CASCADE,
    run    TEXT NOT NULL,
    patch  BLOB NOT NULL,
    at     INTEGER NOT NULL
) STRICT;
CREATE INDEX amendments_of_thread ON amendments (thread, number);

-- The log. `place` is the thread's number * 2^32 + the sequence of the last event in the row: one tree,
-- in which a thread's events lie together, and no second index to keep.
CREATE TABLE log (
    place  INTEGER PRIMARY KEY,
    count  INTEGER NOT NULL,
    events BLOB NOT NULL
) STRICT;
CREATE TRIGGER threads_deleted AFTER DELETE ON threads BEGIN
    DELETE FROM log WHERE place BETWEEN old.number << 32 AND (old.number << 32) + 4294967295;
END;
