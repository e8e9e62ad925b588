-- What the beginnings and ends of runs change in the ontology and is not written there yet. It is written for
-- many runs together, and before anybody reads or writes the ontology.
CREATE TABLE due (
    number  INTEGER PRIMARY KEY,
    run     INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    status  INTEGER,                          -- how the run ended; none: it began
    changed BLOB                              -- messages that changed, and those that are hidden now
) STRICT;
