-- A backup from before 0029 gets the id that its database got, because both have it from what they shared already. So the
-- memory of a node is of this database, and tells that the backup is older.
UPDATE settled.installation SET id = (
  SELECT md5(m.checksum || ' ' || (1000000 * extract(epoch FROM m.applied_at))::bigint)::uuid
  FROM settled.migration AS m WHERE m.number = 1
);
