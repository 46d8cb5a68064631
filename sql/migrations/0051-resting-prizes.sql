-- An athlete's postings of entries are found newest first, without deposits and withdrawals, because prizes rest before
-- they can be withdrawn. Writers of postings wait while the index is made, a second for some millions of them.
CREATE INDEX posting_of_entries ON racing.posting (athlete_id, id) WHERE entry_id IS NOT NULL AND athlete_id IS NOT NULL;
