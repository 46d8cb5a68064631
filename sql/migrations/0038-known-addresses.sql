-- Addresses from which people logged in lately: failures elsewhere do not lock them out.
CREATE TABLE accounts.known_address (
  name_digest bytea NOT NULL,
  address text COLLATE "C" NOT NULL,
  logged_in_at timestamptz NOT NULL,
  CONSTRAINT known_address_pkey PRIMARY KEY (name_digest, address)
);
CREATE INDEX known_address_by_age ON accounts.known_address (logged_in_at);
COMMENT ON TABLE accounts.known_address IS 'Addresses from which a name logged in within the last 30 days, five at most.';
COMMENT ON COLUMN accounts.known_address.name_digest IS 'The SHA-256 of the address or username in lower case.';
COMMENT ON COLUMN accounts.known_address.address IS 'An IPv4 address, or the /64 of an IPv6 address.';
COMMENT ON COLUMN accounts.known_address.logged_in_at IS 'A real time.';
