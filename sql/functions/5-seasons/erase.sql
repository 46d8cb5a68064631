-- Erases a runner's name and the app's descriptions of the runner's earnings.
CREATE OR REPLACE FUNCTION seasons.erase_runner(runner_id bigint)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  names bigint;
  descriptions bigint;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_present(runner_id, 'runner-id');
  PERFORM FROM seasons.runner AS r WHERE r.id = erase_runner.runner_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'runner', 'there is no such runner');
  END IF;
  UPDATE seasons.runner AS r SET name = settled.erased_name()
    WHERE r.id = erase_runner.runner_id AND r.name <> settled.erased_name();
  GET DIAGNOSTICS names = ROW_COUNT;
  UPDATE seasons.earning AS e SET description = NULL
    WHERE e.runner_id = erase_runner.runner_id AND e.description IS NOT NULL;
  GET DIAGNOSTICS descriptions = ROW_COUNT;
  DELETE FROM seasons.own_earning_day AS d WHERE d.runner_id = erase_runner.runner_id;
  RETURN jsonb_build_object('erased', jsonb_build_object('names', names, 'descriptions', descriptions),
    'kept', jsonb_build_array('ids', 'points and totals', 'team and graduating class'));
END
$$;

-- Erases a user of team talks, by username. id: the number that remains. Names, comments, reactions and the name in
-- views are erased. Views still count.
CREATE OR REPLACE FUNCTION seasons.erase_user(username text)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  u seasons.app_user;
  stub text;
  comments bigint;
  reactions bigint;
  views bigint;
  waiting bigint;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_text(username, 'username', min => 1);
  SELECT x.* INTO u FROM seasons.app_user AS x WHERE x.username = erase_user.username FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'user', 'there is no such user');
  END IF;
  stub := settled.erased_name() || '-' || u.id;
  -- An app may have given that name to another user.
  WHILE EXISTS (SELECT FROM seasons.app_user AS x WHERE x.username = stub AND x.id <> u.id) LOOP
    stub := stub || '-';
  END LOOP;
  UPDATE seasons.app_user AS x SET username = stub, display_name = settled.erased_name()
    WHERE x.id = u.id;
  UPDATE seasons.team_talk AS t SET author = settled.erased_name() WHERE t.author = u.username;
  UPDATE seasons.reward AS r SET created_by = settled.erased_name() WHERE r.created_by = u.username;
  UPDATE seasons.comment AS c SET message = settled.erased_name() WHERE c.user_id = u.id;
  GET DIAGNOSTICS comments = ROW_COUNT;
  DELETE FROM seasons.reaction AS r WHERE r.user_id = u.id;
  GET DIAGNOSTICS reactions = ROW_COUNT;
  UPDATE seasons.uncounted_view AS v SET display_name = settled.erased_name() WHERE v.user_id = u.id;
  GET DIAGNOSTICS waiting = ROW_COUNT;
  UPDATE seasons.recent_view AS v SET display_name = settled.erased_name() WHERE v.user_id = u.id;
  UPDATE seasons.view AS v SET display_name = settled.erased_name(), team = NULL WHERE v.user_id = u.id;
  GET DIAGNOSTICS views = ROW_COUNT;
  RETURN jsonb_build_object(
    'id', u.id, 'erased', jsonb_build_object('names', 1, 'comments', comments, 'reactions', reactions, 'views', greatest(views, waiting)),
    'kept', jsonb_build_array('ids', 'view counts of talks', 'titles and content of talks'));
END
$$;

SELECT settled.declare_callers('seasons',
  daemon => '{erase_runner, erase_user}',
  fixed => '{erase_runner, erase_user}');
