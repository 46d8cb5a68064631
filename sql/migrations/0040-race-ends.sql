-- Lists of races that end first, by status; an app shows these.
CREATE INDEX race_of_end ON racing.race (status, ends_at, id);
