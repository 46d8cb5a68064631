-- Of a check-in the streak and the ages are written at once. Source: CheckIns.docc/Age.md. Entries that the functions of
-- the former release write are still counted by the trigger.
CREATE OR REPLACE TRIGGER count_day AFTER INSERT ON checkins.entry FOR EACH ROW
  WHEN (current_setting('checkins.counts_day', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION checkins.count_day();
