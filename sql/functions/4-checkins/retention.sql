-- Entries have a partition for each month of their dates. What is shown beyond a year follows from profiles, streaks
-- and days, and stays when entries go.
SELECT settled.declare_retention('checkins', 'entry', 'date', 'checkins.entry_retention');
