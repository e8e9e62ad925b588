-- What is kept of a thread beside its state, documents by what they are called, and fewer entries of indexes.

-- What a thread's state cannot hold of its citations; empty as a rule.
ALTER TABLE checkpoints ADD COLUMN record BLOB NOT NULL DEFAULT x'';

-- What people and agents call a document.
CREATE INDEX attachments_by_name ON attachments (principal, name);
CREATE INDEX attachments_by_origin ON attachments (principal, origin) WHERE origin IS NOT NULL;
CREATE INDEX documents_by_title ON documents (title) WHERE title IS NOT NULL;

-- The group of a principal itself is written as an empty text, and is in no index of groups: nearly all rows are in it,
-- and those of the principal find them. A third fewer entries of indexes for each run.
DROP INDEX things_of_group;
DROP INDEX things_of_group_by_kind;
DROP INDEX things_of_group_by_status;
DROP INDEX things_of_group_by_update;
DROP INDEX connections_of_group;
DROP INDEX connections_of_group_by_kind;
DROP INDEX connections_of_group_from;
DROP INDEX connections_of_group_to;
DROP INDEX connections_of_group_valid;
DROP INDEX events_of_group;
DROP INDEX events_of_group_by_kind;
UPDATE things SET grp = '' WHERE grp = (SELECT p.id FROM principals p WHERE p.number = principal);
UPDATE connections SET grp = '' WHERE grp = (SELECT p.id FROM principals p WHERE p.number = principal);
UPDATE events SET grp = '' WHERE grp = (SELECT p.id FROM principals p WHERE p.number = principal);
CREATE INDEX things_of_group ON things (principal, grp, created) WHERE grp <> '';
CREATE INDEX things_of_group_by_kind ON things (principal, grp, kind, created) WHERE grp <> '';
CREATE INDEX things_of_group_by_status ON things (principal, grp, status, created) WHERE grp <> '';
CREATE INDEX things_of_group_by_update ON things (principal, grp, updated) WHERE grp <> '';
CREATE INDEX connections_of_group ON connections (principal, grp, created) WHERE grp <> '';
CREATE INDEX connections_of_group_by_kind ON connections (principal, grp, kind, created) WHERE grp <> '';
CREATE INDEX connections_of_group_from ON connections (principal, grp, source) WHERE grp <> '';
CREATE INDEX connections_of_group_to ON connections (principal, grp, target) WHERE grp <> '';
CREATE INDEX connections_of_group_valid ON connections (principal, grp, valid_from, valid_to) WHERE grp <> '';
CREATE INDEX events_of_group ON events (principal, grp, at) WHERE grp <> '';
CREATE INDEX events_of_group_by_kind ON events (principal, grp, kind, at) WHERE grp <> '';
