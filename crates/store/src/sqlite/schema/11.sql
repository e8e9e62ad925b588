-- Verifications that were kept together are one row, packed: a run with ten citations writes two pages instead of
-- thirty. What they are called by is looked up in an index that follows, for many rows together.
CREATE TABLE evidence (
    number    INTEGER PRIMARY KEY AUTOINCREMENT,
    principal INTEGER NOT NULL REFERENCES principals (number) ON DELETE CASCADE,
    thread    INTEGER REFERENCES threads (number) ON DELETE CASCADE,
    names     TEXT NOT NULL,                  -- the ids as a JSON array; each begins with the key of its citation
    packed    INTEGER,                        -- how many bytes the items were, if they are packed
    items     BLOB NOT NULL
) STRICT;
CREATE INDEX evidence_of_principal ON evidence (principal);
CREATE INDEX evidence_of_thread ON evidence (thread);

CREATE TABLE evidence_names (
    name     TEXT NOT NULL,
    evidence INTEGER NOT NULL,
    PRIMARY KEY (name, evidence)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER evidence_deleted AFTER DELETE ON evidence BEGIN
    DELETE FROM evidence_names
    WHERE evidence = old.number AND name IN (SELECT value FROM json_each(old.names));
END;

-- The last row whose names are in the index.
CREATE TABLE evidence_indexed (
    through INTEGER NOT NULL
) STRICT;
INSERT INTO evidence_indexed VALUES (0);
