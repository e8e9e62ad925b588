-- The whole schema. Times are milliseconds since 1970.

-- Owners of everything else.
CREATE TABLE principals (
    number INTEGER PRIMARY KEY,
    id     TEXT NOT NULL UNIQUE
) STRICT;

-- Documents: content that attachments refer to.
CREATE TABLE documents (
    number     INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,          -- hash of the file, hexadecimal
    media_type TEXT NOT NULL,
    size       INTEGER NOT NULL,
    pages      INTEGER,
    title      TEXT,
    status     INTEGER NOT NULL,              -- 0 received, 1 ready, 2 failed
    reason     TEXT,
    created    INTEGER NOT NULL
) STRICT;
CREATE INDEX documents_by_title ON documents (title) WHERE title IS NOT NULL;

-- Blobs of a document: its file ('original') and what was derived from it.
CREATE TABLE parts (
    document INTEGER NOT NULL REFERENCES documents (number) ON DELETE CASCADE,
    name     TEXT NOT NULL,
    blob     TEXT NOT NULL,
    PRIMARY KEY (document, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX parts_by_blob ON parts (blob);

-- Blobs that may have lost their last reference. They are checked again before they are removed.
CREATE TABLE orphans (
    blob TEXT NOT NULL PRIMARY KEY
) STRICT, WITHOUT ROWID;
CREATE TRIGGER parts_deleted AFTER DELETE ON parts BEGIN
    INSERT OR IGNORE INTO orphans VALUES (old.blob);
END;
CREATE TRIGGER parts_replaced AFTER UPDATE OF blob ON parts WHEN old.blob <> new.blob BEGIN
    INSERT OR IGNORE INTO orphans VALUES (old.blob);
END;

-- Names that principals give to documents.
CREATE TABLE attachments (
    number    INTEGER PRIMARY KEY,
    principal INTEGER NOT NULL REFERENCES principals (number) ON DELETE CASCADE,
    id        TEXT NOT NULL,
    document  INTEGER NOT NULL REFERENCES documents (number),
    name      TEXT NOT NULL,
    end_user  TEXT,
    origin    TEXT,                           -- address that it was fetched from
    created   INTEGER NOT NULL,
    expires   INTEGER,
    changed   INTEGER NOT NULL,               -- number of the last change of the document as a thing
    superseded INTEGER NOT NULL DEFAULT 0,    -- 1 if a newer version of the same origin is attached
    UNIQUE (principal, id)
) STRICT;
CREATE INDEX attachments_by_time ON attachments (principal, created DESC, id DESC);
CREATE INDEX attachments_by_creation ON attachments (principal, created);
CREATE INDEX attachments_by_change ON attachments (principal, changed);
CREATE INDEX attachments_by_document ON attachments (document, principal, created DESC, id DESC);
CREATE INDEX attachments_by_expiry ON attachments (expires) WHERE expires IS NOT NULL;
CREATE INDEX attachments_by_name ON attachments (principal, name);
CREATE INDEX attachments_by_origin ON attachments (principal, origin) WHERE origin IS NOT NULL;
-- A document is deleted with its last attachment.
CREATE TRIGGER attachments_deleted AFTER DELETE ON attachments
WHEN NOT EXISTS (SELECT 1 FROM attachments WHERE document = old.document) BEGIN
    DELETE FROM documents WHERE number = old.document;
END;
CREATE TRIGGER attachments_moved AFTER UPDATE OF document ON attachments
WHEN NOT EXISTS (SELECT 1 FROM attachments WHERE document = old.document) BEGIN
    DELETE FROM documents WHERE number = old.document;
END;

-- Agents that a principal has used.
CREATE TABLE agents (
    number    INTEGER PRIMARY KEY,
    principal INTEGER NOT NULL REFERENCES principals (number) ON DELETE CASCADE,
    name      TEXT NOT NULL,
    created   INTEGER NOT NULL,               -- start of its first run
    changed   INTEGER NOT NULL,
    UNIQUE (principal, name)
) STRICT;

-- Upstream agents that administrators added while the server ran. Those of the configuration file are not here.
CREATE TABLE upstreams (
    name     TEXT PRIMARY KEY NOT NULL,
    settings BLOB NOT NULL,                   -- JSON
    created  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Documents of principals in the library: progress of reading and indexing them, and what the principal says about
-- them. Names instead of numbers: a row outlives its attachments until the search index no longer has the document.
CREATE TABLE library (
    number     INTEGER PRIMARY KEY,
    principal  TEXT NOT NULL,
    document   TEXT NOT NULL,                 -- hash of the file, hexadecimal
    title      TEXT,
    labels     TEXT NOT NULL,                 -- one per line
    state      INTEGER NOT NULL,              -- 0 queued, 1 reading, 2 indexing, 3 ready, 4 failed, 5 removed
    revision   INTEGER NOT NULL,              -- number of the change that queued it last
    changed    INTEGER NOT NULL,              -- number of the last change
    attempts   INTEGER NOT NULL,
    pages_done INTEGER NOT NULL,
    chunks     INTEGER NOT NULL,
    reason     TEXT,
    hint       TEXT,
    UNIQUE (principal, document)
) STRICT;
CREATE INDEX library_queue ON library (state, principal, revision) WHERE state < 3;
CREATE INDEX library_by_state ON library (state, chunks);
CREATE INDEX library_by_change ON library (principal, changed);

-- Identity of the derived data: one row.
CREATE TABLE library_index (
    changes   INTEGER NOT NULL,               -- number of changes of the library
    id        TEXT,                           -- of the search index
    model     TEXT,                           -- of the vectors
    dimension INTEGER
) STRICT;
INSERT INTO library_index VALUES (0, NULL, NULL, NULL);

-- Vectors of texts, by the key of the text; one byte for each number.
CREATE TABLE vectors (
    key    INTEGER PRIMARY KEY,
    vector BLOB NOT NULL
) STRICT;

-- Numbers of threads and runs are never reused, because an open run refers to them.
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
    changed       INTEGER NOT NULL,           -- number of the last change of the thread as a thing
    -- Messages of the last run's input: 16 bytes of hash each.
    input_hashes  BLOB NOT NULL DEFAULT x'',
    UNIQUE (principal, id)
) STRICT;
CREATE INDEX threads_by_time ON threads (principal, updated, id);
CREATE INDEX threads_by_creation ON threads (principal, created);
CREATE INDEX threads_by_change ON threads (principal, changed);
CREATE INDEX threads_archived ON threads (principal, created) WHERE archived = 1;

CREATE TABLE runs (
    number      INTEGER PRIMARY KEY AUTOINCREMENT,
    principal   INTEGER NOT NULL,             -- of the thread
    thread      INTEGER NOT NULL REFERENCES threads (number) ON DELETE CASCADE,
    id          TEXT NOT NULL,
    agent       TEXT NOT NULL,
    status      INTEGER NOT NULL,             -- 0 open, 1 finished, 2 interrupted, 3 cancelled, 4 failed
    after       INTEGER NOT NULL,             -- sequence before its first event
    last        INTEGER,                      -- sequence of its last event
    started     INTEGER NOT NULL,
    ended       INTEGER,
    -- The input without its messages. The messages are the first `shared` of the run before, then `tail`:
    -- numbers of texts in LEB128. A large input begins with a zero byte: its size and the numbers of its
    -- chunks follow.
    input       BLOB NOT NULL,
    shared      INTEGER NOT NULL,
    tail        BLOB NOT NULL,
    question    TEXT,                         -- id of the last user message of the input
    late_result INTEGER NOT NULL,             -- last late result that this run has sent to its client
    UNIQUE (thread, id)
) STRICT;
CREATE INDEX runs_in_order ON runs (thread, number);
CREATE UNIQUE INDEX runs_open ON runs (thread) WHERE status = 0;
CREATE INDEX runs_by_start ON runs (principal, started);
CREATE INDEX runs_by_end ON runs (principal, ended) WHERE ended IS NOT NULL;

-- JSON of messages and chunks of large rows; each is stored once per thread.
CREATE TABLE texts (
    number INTEGER PRIMARY KEY,
    thread INTEGER NOT NULL REFERENCES threads (number) ON DELETE CASCADE,
    hash   BLOB NOT NULL,
    json   BLOB NOT NULL,
    UNIQUE (thread, hash)
) STRICT;

-- State of a thread after its last run.
CREATE TABLE checkpoints (
    thread  INTEGER PRIMARY KEY REFERENCES threads (number) ON DELETE CASCADE,
    through INTEGER NOT NULL,
    state   BLOB NOT NULL,
    record  BLOB NOT NULL,                    -- citations that the state cannot hold; usually empty
    hashes  BLOB NOT NULL                     -- 16 bytes for each message of the conversation
) STRICT;

-- Conversation of a thread after its last run.
CREATE TABLE conversations (
    thread   INTEGER NOT NULL REFERENCES threads (number) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    id       TEXT NOT NULL,
    role     TEXT NOT NULL,
    text     INTEGER NOT NULL,
    PRIMARY KEY (thread, position)
) STRICT, WITHOUT ROWID;

-- Every message that a thread has or had, once per id.
CREATE TABLE messages (
    number    INTEGER PRIMARY KEY,
    principal INTEGER NOT NULL,               -- of the thread
    thread    INTEGER NOT NULL REFERENCES threads (number) ON DELETE CASCADE,
    id        TEXT NOT NULL,
    role      TEXT NOT NULL,
    agent     TEXT NOT NULL,                  -- of the run that first had it
    position  INTEGER NOT NULL,               -- in the conversation; the last one of an archived message
    archived  INTEGER NOT NULL,               -- 1 if the conversation no longer has it
    created   INTEGER NOT NULL,
    updated   INTEGER NOT NULL,
    changed   INTEGER NOT NULL,
    UNIQUE (thread, id)
) STRICT;
CREATE INDEX messages_by_creation ON messages (principal, created);
CREATE INDEX messages_by_change ON messages (principal, changed);
CREATE INDEX messages_archived ON messages (principal, created) WHERE archived = 1;

-- Messages of the canvas, executions of actions and shared context of a conversation.
CREATE TABLE conversation_records (
    number  INTEGER PRIMARY KEY AUTOINCREMENT,
    thread  INTEGER NOT NULL REFERENCES threads (number) ON DELETE CASCADE,
    kind    TEXT NOT NULL,
    id      TEXT NOT NULL,
    json    BLOB NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    UNIQUE (thread, kind, id)
) STRICT;
CREATE INDEX conversation_records_in_order ON conversation_records (thread, kind, number);

-- Catalogue of music credits. A change is a new row, so `revision` grows with every write; empty `json` is a deletion.
CREATE TABLE catalogue_records (
    revision  INTEGER PRIMARY KEY AUTOINCREMENT,
    principal INTEGER NOT NULL REFERENCES principals (number) ON DELETE CASCADE,
    kind      TEXT NOT NULL,
    id        TEXT NOT NULL,
    version   INTEGER NOT NULL,
    json      BLOB NOT NULL,
    updated   INTEGER NOT NULL,
    UNIQUE (principal, kind, id)
) STRICT;
CREATE INDEX catalogue_records_by_change ON catalogue_records (principal, kind, revision);

CREATE TABLE late_results (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    thread INTEGER NOT NULL REFERENCES threads (number) ON DELETE CASCADE,
    run    TEXT NOT NULL,
    patch  BLOB NOT NULL,
    at     INTEGER NOT NULL
) STRICT;
CREATE INDEX late_results_of_thread ON late_results (thread, number);

-- The log. `place` is the thread's number * 2^32 + the sequence of the last event in the row: one tree in
-- which the events of a thread are adjacent, without a second index.
CREATE TABLE log (
    place        INTEGER PRIMARY KEY,
    count        INTEGER NOT NULL,
    -- Bytes before compression; NULL if not compressed. Negative: `events` are the numbers of texts in LEB128,
    -- each of which is a compressed chunk of the row.
    uncompressed INTEGER,
    events       BLOB NOT NULL
) STRICT;
CREATE TRIGGER threads_deleted AFTER DELETE ON threads BEGIN
    DELETE FROM log WHERE place BETWEEN old.number << 32 AND (old.number << 32) + 4294967295;
END;

-- Ranges of the log whose small rows are to be merged.
CREATE TABLE log_merges (
    number INTEGER PRIMARY KEY,
    thread INTEGER NOT NULL REFERENCES threads (number) ON DELETE CASCADE,
    after  INTEGER NOT NULL,
    last   INTEGER NOT NULL
) STRICT;
CREATE INDEX log_merges_of_thread ON log_merges (thread);

-- Verifications that were stored together, in one compressed row.
CREATE TABLE evidence (
    number       INTEGER PRIMARY KEY AUTOINCREMENT,
    principal    INTEGER NOT NULL REFERENCES principals (number) ON DELETE CASCADE,
    thread       INTEGER REFERENCES threads (number) ON DELETE CASCADE,
    -- JSON array: ids, each of which begins with its citation's key, and `document:` with the hash of every
    -- document that was searched.
    names        TEXT NOT NULL,
    uncompressed INTEGER,                     -- bytes before compression; NULL if not compressed
    items        BLOB NOT NULL
) STRICT;
CREATE INDEX evidence_of_principal ON evidence (principal);
CREATE INDEX evidence_of_thread ON evidence (thread);

-- Index of those names. It is filled for many rows together; see evidence_indexed.
CREATE TABLE evidence_names (
    name     TEXT NOT NULL,
    evidence INTEGER NOT NULL,
    PRIMARY KEY (name, evidence)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER evidence_deleted AFTER DELETE ON evidence BEGIN
    DELETE FROM evidence_names
    WHERE evidence = old.number AND name IN (SELECT value FROM json_each(old.names));
END;

-- Last row whose names are in the index.
CREATE TABLE evidence_indexed (
    through INTEGER NOT NULL
) STRICT;
INSERT INTO evidence_indexed VALUES (0);

CREATE TABLE reviews (
    number    INTEGER PRIMARY KEY,
    principal INTEGER NOT NULL REFERENCES principals (number) ON DELETE CASCADE,
    key       TEXT NOT NULL,
    action    TEXT NOT NULL,
    at        INTEGER NOT NULL,
    note      TEXT
) STRICT;
CREATE INDEX reviews_of_principal ON reviews (principal, number);
CREATE INDEX reviews_by_key ON reviews (principal, key, number DESC);

CREATE TABLE keys (
    id        TEXT PRIMARY KEY NOT NULL,
    hash      BLOB NOT NULL UNIQUE,
    principal INTEGER NOT NULL REFERENCES principals (number) ON DELETE CASCADE,
    name      TEXT NOT NULL,
    scopes    TEXT NOT NULL,                  -- one per line
    created   INTEGER NOT NULL,
    expires   INTEGER,
    revoked   INTEGER,
    used      INTEGER
) STRICT;
CREATE INDEX keys_of_principal ON keys (principal);

-- Requests need a key or token. Set with the first key; it stays when all keys are gone.
CREATE TABLE key_requirement (
    is_required INTEGER NOT NULL
) STRICT;
INSERT INTO key_requirement VALUES (0);

-- Names instead of numbers: the audit log outlives those it names.
CREATE TABLE audit (
    number    INTEGER PRIMARY KEY,
    principal TEXT NOT NULL,
    key       TEXT,
    action    TEXT NOT NULL,
    target    TEXT NOT NULL,
    request   TEXT,
    at        INTEGER NOT NULL
) STRICT;
CREATE INDEX audit_of_principal ON audit (principal, number);

-- The ontology: groups and people, and what programs add to it. Ids are unique within the principal.
-- Conversations, messages, documents, agents and what happened to them are not stored here: they are
-- read from the tables above. Rows of one time are listed in the order in which they were written, so
-- the indexes by time need no id.

CREATE TABLE groups (
    principal   INTEGER NOT NULL REFERENCES principals (number) ON DELETE CASCADE,
    id          TEXT NOT NULL,
    slug        TEXT NOT NULL,
    name        TEXT NOT NULL,
    kind        TEXT NOT NULL,
    parent      TEXT,
    description TEXT,
    metadata    TEXT NOT NULL,
    settings    TEXT NOT NULL,
    status      TEXT NOT NULL,
    created     INTEGER NOT NULL,
    updated     INTEGER NOT NULL,
    PRIMARY KEY (principal, id),
    UNIQUE (principal, slug)
) STRICT, WITHOUT ROWID;
CREATE INDEX groups_by_kind ON groups (principal, kind);
CREATE INDEX groups_by_parent ON groups (principal, parent);
CREATE INDEX groups_by_status ON groups (principal, status);
CREATE INDEX groups_by_time ON groups (principal, created);

CREATE TABLE people (
    principal   INTEGER NOT NULL REFERENCES principals (number) ON DELETE CASCADE,
    id          TEXT NOT NULL,
    grp         TEXT NOT NULL,
    groups      TEXT NOT NULL,
    email       TEXT,
    username    TEXT,
    name        TEXT NOT NULL,
    role        TEXT NOT NULL,
    permissions TEXT NOT NULL,
    created     INTEGER NOT NULL,
    updated     INTEGER NOT NULL,
    PRIMARY KEY (principal, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX people_of_group ON people (principal, grp, role);

CREATE TABLE things (
    number         INTEGER PRIMARY KEY,
    principal      INTEGER NOT NULL REFERENCES principals (number) ON DELETE CASCADE,
    id             TEXT NOT NULL,
    grp            TEXT NOT NULL,
    kind           TEXT NOT NULL,
    name           TEXT NOT NULL,
    within         TEXT,                      -- thing that it is a part of
    properties     TEXT NOT NULL,
    status         TEXT NOT NULL,
    schema_version INTEGER,
    created        INTEGER NOT NULL,
    updated        INTEGER NOT NULL,
    deleted        INTEGER,
    changed        INTEGER NOT NULL,          -- number of its last change
    UNIQUE (principal, id)
) STRICT;
CREATE INDEX things_by_kind ON things (principal, kind, created);
CREATE INDEX things_by_status ON things (principal, status, created);
CREATE INDEX things_by_time ON things (principal, created);
CREATE INDEX things_by_update ON things (principal, updated);
CREATE INDEX things_of_group ON things (principal, grp, created);
CREATE INDEX things_of_group_by_kind ON things (principal, grp, kind, created);
CREATE INDEX things_of_group_by_status ON things (principal, grp, status, created);
CREATE INDEX things_of_group_by_update ON things (principal, grp, updated);
CREATE INDEX things_within ON things (principal, within, created);
CREATE INDEX things_by_change ON things (principal, changed);

-- Threads, messages and documents that were deleted, for live queries over things.
CREATE TABLE removed_things (
    principal INTEGER NOT NULL REFERENCES principals (number) ON DELETE CASCADE,
    changed   INTEGER NOT NULL,
    id        TEXT NOT NULL,
    kind      TEXT NOT NULL,
    within    TEXT,
    PRIMARY KEY (principal, changed)
) STRICT, WITHOUT ROWID;

-- Number of changes of all things: stored and derived ones.
CREATE TABLE change_count (
    count INTEGER NOT NULL
) STRICT;
INSERT INTO change_count VALUES (0);

CREATE TABLE connections (
    number     INTEGER PRIMARY KEY,
    principal  INTEGER NOT NULL REFERENCES principals (number) ON DELETE CASCADE,
    id         TEXT NOT NULL,
    grp        TEXT NOT NULL,
    source     TEXT NOT NULL,
    target     TEXT NOT NULL,
    kind       TEXT NOT NULL,
    metadata   TEXT,
    strength   REAL,
    valid_from INTEGER,
    valid_to   INTEGER,
    created    INTEGER NOT NULL,
    updated    INTEGER NOT NULL,
    deleted    INTEGER,
    UNIQUE (principal, id)
) STRICT;
CREATE INDEX connections_by_time ON connections (principal, created);
CREATE INDEX connections_from ON connections (principal, source, created);
CREATE INDEX connections_from_by_kind ON connections (principal, source, kind, created);
CREATE INDEX connections_to ON connections (principal, target, created);
CREATE INDEX connections_to_by_kind ON connections (principal, target, kind, created);
CREATE INDEX connections_between ON connections (principal, source, target, kind);
CREATE INDEX connections_of_group ON connections (principal, grp, created);
CREATE INDEX connections_of_group_by_kind ON connections (principal, grp, kind, created);
CREATE INDEX connections_of_group_from ON connections (principal, grp, source);
CREATE INDEX connections_of_group_to ON connections (principal, grp, target);
CREATE INDEX connections_of_group_valid ON connections (principal, grp, valid_from, valid_to);

CREATE TABLE events (
    number    INTEGER PRIMARY KEY,
    principal INTEGER NOT NULL REFERENCES principals (number) ON DELETE CASCADE,
    id        TEXT NOT NULL,
    grp       TEXT NOT NULL,
    kind      TEXT NOT NULL,
    actor     TEXT NOT NULL,
    target    TEXT,
    at        INTEGER NOT NULL,
    metadata  TEXT,
    archived  INTEGER NOT NULL,
    UNIQUE (principal, id)
) STRICT;
CREATE INDEX events_by_kind ON events (principal, kind, at);
CREATE INDEX events_by_actor ON events (principal, actor, at);
CREATE INDEX events_by_target ON events (principal, target, at);
CREATE INDEX events_by_time ON events (principal, at);
CREATE INDEX events_by_actor_and_kind ON events (principal, actor, kind, at);
CREATE INDEX events_by_target_and_kind ON events (principal, target, kind, at);
CREATE INDEX events_of_group ON events (principal, grp, at);
CREATE INDEX events_of_group_by_kind ON events (principal, grp, kind, at);

CREATE TABLE knowledge (
    number          INTEGER PRIMARY KEY,
    principal       INTEGER NOT NULL REFERENCES principals (number) ON DELETE CASCADE,
    id              TEXT NOT NULL,
    grp             TEXT NOT NULL,
    kind            TEXT NOT NULL,
    text            TEXT,
    embedding       BLOB,
    embedding_model TEXT,
    embedding_dim   INTEGER GENERATED ALWAYS AS (length(embedding) / 4) VIRTUAL,
    source          TEXT,
    source_field    TEXT,
    chunk           TEXT,
    labels          TEXT NOT NULL,
    metadata        TEXT,
    created         INTEGER NOT NULL,
    updated         INTEGER NOT NULL,
    deleted         INTEGER,
    UNIQUE (principal, id)
) STRICT;
CREATE INDEX knowledge_by_kind ON knowledge (principal, kind, created);
CREATE INDEX knowledge_by_source ON knowledge (principal, source, created);
CREATE INDEX knowledge_by_time ON knowledge (principal, created);
CREATE INDEX knowledge_by_update ON knowledge (principal, updated);
CREATE INDEX knowledge_of_group_by_kind ON knowledge (principal, grp, kind, created);
CREATE INDEX knowledge_of_group_by_source ON knowledge (principal, grp, source);

CREATE TABLE thing_knowledge (
    principal INTEGER NOT NULL REFERENCES principals (number) ON DELETE CASCADE,
    thing     TEXT NOT NULL,
    knowledge TEXT NOT NULL,
    role      TEXT NOT NULL,
    metadata  TEXT,
    PRIMARY KEY (principal, thing, knowledge, role)
) STRICT, WITHOUT ROWID;
CREATE INDEX thing_knowledge_by_knowledge ON thing_knowledge (principal, knowledge);
