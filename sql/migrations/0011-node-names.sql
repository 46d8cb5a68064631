-- breaking
-- Who holds a node's name: the session that listens, known by its process and start. Before, it was an advisory lock,
-- which any role could take. The role tells whether the start of a session can be seen.
ALTER TABLE settled.node
  ADD COLUMN backend_pid integer,
  ADD COLUMN backend_start timestamptz,
  ADD COLUMN backend_role oid,
  ADD CONSTRAINT node_backend CHECK (
    (backend_pid IS NULL) = (backend_start IS NULL) AND (backend_pid IS NULL) = (backend_role IS NULL));
