-- All groups of a person, and how many numbers a vector has.
ALTER TABLE people ADD COLUMN groups TEXT NOT NULL DEFAULT '[]';
ALTER TABLE knowledge ADD COLUMN embedding_dim INTEGER GENERATED ALWAYS AS (length(embedding) / 4) VIRTUAL;
