-- What is done in small steps after the one who asked has his answer.
CREATE TABLE chores (
    number INTEGER PRIMARY KEY,
    thread INTEGER NOT NULL REFERENCES threads (number) ON DELETE CASCADE,
    kind   INTEGER NOT NULL,                  -- 0 messages as things, 1 rows of the log together
    start  INTEGER NOT NULL,
    stop   INTEGER NOT NULL
) STRICT;
CREATE INDEX chores_of_thread ON chores (thread);
