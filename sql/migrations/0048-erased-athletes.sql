-- Nobody comes back under an erased athlete's number.
ALTER TABLE racing.athlete ADD COLUMN erased_at timestamptz;
COMMENT ON COLUMN racing.athlete.erased_at IS 'When the athlete was erased last: no profile, money, entry or connection follows.';
-- Those that the audit knows, and that nobody has given a name since.
UPDATE racing.athlete AS a SET erased_at = l.at
  FROM (
    SELECT substr(x.target, 9) AS id, max(x.at) AS at FROM settled.audit AS x
    WHERE x.command = 'person.erase' AND x.target ~ '^athlete [0-9]{1,18}$' GROUP BY x.target
  ) AS l
  WHERE a.id = l.id::bigint AND a.display_name = 'erased' AND a.date_of_birth IS NULL AND a.gender IS NULL;
