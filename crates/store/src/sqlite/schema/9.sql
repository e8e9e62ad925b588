-- How many bytes the events of a row were before they were packed with LZ4; none: they are as they were.
ALTER TABLE log ADD COLUMN packed INTEGER;
