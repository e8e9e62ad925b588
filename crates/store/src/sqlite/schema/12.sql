-- What is kept of a thread beside its state, and documents by what they are called.

-- What a thread's state cannot hold of its citations; empty as a rule.
ALTER TABLE checkpoints ADD COLUMN record BLOB NOT NULL DEFAULT x'';

-- What people and agents call a document.
CREATE INDEX attachments_by_name ON attachments (principal, name);
CREATE INDEX attachments_by_origin ON attachments (principal, origin) WHERE origin IS NOT NULL;
CREATE INDEX documents_by_title ON documents (title) WHERE title IS NOT NULL;
