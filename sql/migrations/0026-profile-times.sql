-- When an athlete's profile was changed last; null: never since it was created.
ALTER TABLE racing.athlete ADD COLUMN updated_at timestamptz;
