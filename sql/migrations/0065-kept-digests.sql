-- Of what was approved the digest of its streams is kept from now on; of the rest with the next approval or import.
-- Source: Racing.docc/Moderation.md. Nobody waits while the rows are read.
UPDATE racing.activity AS a SET streams_digest = sha256(array_send(s.times) || array_send(s.distances))
  FROM racing.activity_stream AS s
  WHERE s.activity_id = a.id AND a.streams_digest IS NULL
    AND EXISTS (SELECT FROM racing.decision AS d WHERE d.activity_id = a.id AND d.decision = 'approve');
