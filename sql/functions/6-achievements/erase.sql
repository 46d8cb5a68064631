-- Erases a person's name and the reports behind the person's counters.
CREATE OR REPLACE FUNCTION achievements.erase_person(user_id bigint)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  names bigint;
  reports bigint;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_present(user_id, 'user-id');
  PERFORM FROM achievements.person AS p WHERE p.id = erase_person.user_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'reader', 'there is no such reader');
  END IF;
  UPDATE achievements.person AS p SET name = settled.erased_name()
    WHERE p.id = erase_person.user_id AND p.name <> settled.erased_name();
  GET DIAGNOSTICS names = ROW_COUNT;
  DELETE FROM achievements.report AS r WHERE r.user_id = erase_person.user_id;
  GET DIAGNOSTICS reports = ROW_COUNT;
  RETURN jsonb_build_object('erased', jsonb_build_object('names', names, 'reports', reports,
      'events', settled.erase_events('{achievement.unlocked}', ARRAY[user_id::text])),
    'kept', jsonb_build_array('ids', 'counters', 'unlocks and points'));
END
$$;

SELECT settled.declare_callers('achievements', daemon => '{erase_person}', fixed => '{erase_person}');
