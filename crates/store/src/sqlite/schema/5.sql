-- The id of the last user message of a run's input: the question that it answers.
ALTER TABLE runs ADD COLUMN asked TEXT;
