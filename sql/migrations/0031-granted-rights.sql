-- What the last migration granted. doctor and the next migration compare it with the rights that there are.
CREATE TABLE settled.granted_right (
  namespace text NOT NULL,           -- the schema
  object text NOT NULL,              -- as GRANT names it: TABLE racing.race
  role text NOT NULL,
  privilege text NOT NULL,           -- as GRANT names it, with the column if it is of one
  PRIMARY KEY (namespace, object, role, privilege)
);
