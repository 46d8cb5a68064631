-- Connections of athletes to the provider of activities. Here only what racing reads; tokens come with their own migration.
CREATE SCHEMA strava;

CREATE TABLE strava.connection (
  athlete_id bigint PRIMARY KEY,
  status text NOT NULL,
  missing_scopes text[] NOT NULL DEFAULT '{}',
  authorization_code text,       -- as the app handed it in; erased when it is exchanged or the connection revoked
  changed_at timestamptz NOT NULL,
  CONSTRAINT connection_status CHECK (status IN ('connecting', 'active', 'needs_reauth', 'revoked')),
  CONSTRAINT connection_code CHECK (authorization_code IS NULL OR status = 'connecting')
);
