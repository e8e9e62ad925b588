-- In which other threads a verification was made again. It goes with the last of all its threads.
CREATE TABLE citing (
    verification INTEGER NOT NULL REFERENCES verifications (number) ON DELETE CASCADE,
    thread       INTEGER NOT NULL REFERENCES threads (number) ON DELETE CASCADE,
    PRIMARY KEY (verification, thread)
) STRICT, WITHOUT ROWID;
CREATE INDEX citing_of_thread ON citing (thread);
CREATE TRIGGER threads_hand_on BEFORE DELETE ON threads BEGIN
    UPDATE verifications SET message = NULL, thread = (
        SELECT c.thread FROM citing c WHERE c.verification = number AND c.thread <> old.number)
    WHERE thread = old.number AND EXISTS (
        SELECT 1 FROM citing c WHERE c.verification = number AND c.thread <> old.number);
END;
