-- Where an attachment was fetched from, if it was.
ALTER TABLE attachments ADD COLUMN origin TEXT;
