-- Writers of activities wait while the indexes are made, some seconds for a million of them; readers do not.

-- The public list, however many activities are private.
CREATE INDEX activity_public ON racing.activity (id) WHERE status = 'verified' AND visibility = 'everyone';
-- Reviewers also see flags that do not count. The name is free when the former index is dropped.
CREATE INDEX activity_flagged_new ON racing.activity ((-flag_count), id)
  WHERE flag_count + uncounted_flags > 0 AND status <> 'under_review';
DROP INDEX racing.activity_flagged;
ALTER INDEX racing.activity_flagged_new RENAME TO activity_flagged;
