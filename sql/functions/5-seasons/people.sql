-- People who read and write team talks.

CREATE OR REPLACE FUNCTION seasons.create_user(username text, display_name text, role text, runner_id bigint DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  shown_name text;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_key_name(username, 'username');
  shown_name := settled.shown_name(display_name, 'display-name');
  IF role IS NULL OR role NOT IN ('coach', 'runner') THEN
    PERFORM settled.fail('SD400', 'role', 'role must be coach or runner');
  END IF;
  IF runner_id IS NOT NULL AND NOT EXISTS (SELECT FROM seasons.runner AS r WHERE r.id = create_user.runner_id) THEN
    PERFORM settled.fail('SD404', 'runner', 'there is no such runner');
  END IF;
  INSERT INTO seasons.app_user (username, display_name, role, runner_id)
    VALUES (username, shown_name, role, runner_id) ON CONFLICT ON CONSTRAINT app_user_username DO NOTHING;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD409', 'user', 'the username is taken');
  END IF;
END
$$;
COMMENT ON FUNCTION seasons.create_user(text, text, text, bigint) IS
$$Creates a person who can read and write team talks.
username: 1 to 10,000 characters in Unicode NFC form, with no leading or trailing blanks and no invisible characters.
display_name: 1 to 10,000 characters, including at least one visible character.
role: coach or runner.
runner_id: the person's runner; null: none.
Returns nothing.
Refuses: SD400 display-name, isolation, role, username; SD404 runner; SD409 user (the username is taken).
Example: SELECT seasons.create_user(username => 'cleo', display_name => 'Cleo Fox', role => 'runner')$$;

-- The user with a username. Fails if there is none.
CREATE OR REPLACE FUNCTION seasons.find_user(username text)
RETURNS seasons.app_user
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  u seasons.app_user;
BEGIN
  PERFORM settled.check_text(username, 'username', min => 1);
  SELECT x.* INTO u FROM seasons.app_user AS x WHERE x.username = find_user.username;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'user', 'there is no such user');
  END IF;
  RETURN u;
END
$$;

CREATE OR REPLACE FUNCTION seasons.user(username text)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  u seasons.app_user := seasons.find_user(username);
BEGIN
  RETURN jsonb_build_object(
    'username', u.username, 'displayName', u.display_name, 'role', u.role, 'runnerId', u.runner_id);
END
$$;
COMMENT ON FUNCTION seasons.user(text) IS
$$Retrieves a person.
Returns username, displayName, role and runnerId.
Refuses: SD400 username; SD404 user.
Example: SELECT seasons.user(username => 'coach')$$;

SELECT settled.declare_callers('seasons', contract => '{create_user, user}');
