-- Indexes for reads that are asked often and answer little, however large the tables are.

-- Reviewers' pages: open reviews by their age, then what is only flagged, by its number of flags.
CREATE INDEX review_open ON racing.review (opened_at, id) WHERE state <> 'decided';
DROP INDEX racing.activity_flagged;
CREATE INDEX activity_flagged ON racing.activity ((-flag_count), id) WHERE flag_count > 0 AND status <> 'under_review';

-- Races by a filter; race_key begins with type and duration.
CREATE INDEX race_of_status ON racing.race (status, id);
CREATE INDEX race_of_category ON racing.race (category, duration, id);
