-- A function that an operator wrote.
CREATE SCHEMA ops;
GRANT USAGE ON SCHEMA ops TO settled_schedule;
CREATE TABLE ops.done (at timestamptz DEFAULT clock_timestamp());
GRANT INSERT, SELECT ON ops.done TO settled_schedule;
CREATE FUNCTION ops.work() RETURNS integer LANGUAGE sql AS 'INSERT INTO ops.done DEFAULT VALUES; SELECT 1';
