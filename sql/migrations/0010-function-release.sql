-- Which release of the functions was applied (functions/0-release.sql); 0: one before releases were numbered.
ALTER TABLE settled.function_script ADD COLUMN release integer NOT NULL DEFAULT 0;
