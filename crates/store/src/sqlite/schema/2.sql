-- Keys, the record of what was done, verifications and reviews.

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

-- Names, not numbers: the record outlives those it names.
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

CREATE TABLE verifications (
    number       INTEGER PRIMARY KEY,
    id           TEXT NOT NULL UNIQUE,
    principal    INTEGER NOT NULL REFERENCES principals (number) ON DELETE CASCADE,
    key          TEXT NOT NULL,
    thread       INTEGER REFERENCES threads (number) ON DELETE CASCADE,
    message      TEXT,
    document     TEXT,
    citation     BLOB NOT NULL,
    verification BLOB NOT NULL,
    created      INTEGER NOT NULL
) STRICT;
CREATE INDEX verifications_by_key ON verifications (principal, key, created DESC, number DESC);
CREATE INDEX verifications_of_principal ON verifications (principal, number);
CREATE INDEX verifications_of_thread ON verifications (thread);

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
