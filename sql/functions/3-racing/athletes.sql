-- Athletes: their profiles, from the app.

-- Checks what an athlete may be. A null date or gender is unknown; a null user type is refused.
DROP FUNCTION IF EXISTS racing.check_athlete(text, date, text, text);
CREATE OR REPLACE FUNCTION racing.check_athlete(date_of_birth date, gender text, user_type text)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF date_of_birth IS NOT NULL
    AND (date_of_birth < date '1900-01-01' OR date_of_birth > racing.local_date(settled.clock()))
  THEN
    PERFORM settled.fail('SD400', 'date-of-birth', 'the date of birth must be between 1900 and today');
  END IF;
  IF gender NOT IN ('female', 'male', 'other') THEN
    PERFORM settled.fail('SD400', 'gender', 'gender must be female, male or other');
  END IF;
  IF user_type IS NULL OR user_type NOT IN ('racer', 'spectator') THEN
    PERFORM settled.fail('SD400', 'user-type', 'the user type must be racer or spectator');
  END IF;
END
$$;

-- The date that a text names: YYYY-MM-DD; null for null. SD400 `date-of-birth`: anything else.
CREATE OR REPLACE FUNCTION racing.read_birth_date(given text)
RETURNS date
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF given !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' THEN
    PERFORM settled.fail('SD400', 'date-of-birth', 'the date of birth must have the format YYYY-MM-DD');
  END IF;
  RETURN make_date(left(given, 4)::integer, substr(given, 6, 2)::integer, right(given, 2)::integer);
EXCEPTION WHEN data_exception THEN
  PERFORM settled.fail('SD400', 'date-of-birth', 'this date does not exist');
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION racing.create_athlete(
  display_name text, date_of_birth date DEFAULT NULL, gender text DEFAULT NULL, user_type text DEFAULT 'racer')
RETURNS bigint
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  shown_name text;
  new_id bigint;
BEGIN
  PERFORM settled.check_writer();
  shown_name := settled.shown_name(display_name, 'display-name');
  PERFORM racing.check_athlete(date_of_birth, gender, user_type);
  INSERT INTO racing.athlete (display_name, date_of_birth, gender, user_type, created_at)
    VALUES (shown_name, date_of_birth, gender, user_type, settled.clock())
    RETURNING id INTO new_id;
  INSERT INTO racing.wallet (athlete_id) VALUES (new_id);
  RETURN new_id;
END
$$;
COMMENT ON FUNCTION racing.create_athlete(text, date, text, text) IS
$$Creates an athlete with an empty wallet.
display_name: 1 to 10,000 characters, including at least one visible character.
date_of_birth: from 1900 to today; null: unknown.
gender: female, male or other; null: unknown.
user_type: racer or spectator.
Returns the athlete's id.
Refuses: SD400 date-of-birth, display-name, gender, isolation, time-zone (racing.time_zone is unknown), user-type.
Example: SELECT racing.create_athlete(display_name => 'Cleo Fox', date_of_birth => '2003-05-05', gender => 'female')$$;

CREATE OR REPLACE FUNCTION racing.athlete(athlete_id bigint)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  shown jsonb;
BEGIN
  PERFORM settled.check_present(athlete_id, 'athlete-id');
  SELECT jsonb_build_object(
      'id', a.id,
      'displayName', a.display_name,
      'dateOfBirth', to_char(a.date_of_birth, 'YYYY-MM-DD'),
      'gender', a.gender,
      'userType', a.user_type,
      'strava', strava.connection_json(a.id),
      'createdAt', settled.iso(a.created_at),
      'updatedAt', settled.iso(coalesce(a.updated_at, a.created_at)))
    INTO shown FROM racing.athlete AS a WHERE a.id = athlete.athlete_id;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'athlete', 'there is no such athlete');
  END IF;
  RETURN shown;
END
$$;
COMMENT ON FUNCTION racing.athlete(bigint) IS
$$Retrieves an athlete.
Returns id, displayName, dateOfBirth, gender, userType, strava, createdAt and updatedAt. strava is null if the athlete
    has never connected; otherwise it has status and missingScopes.
Refuses: SD400 athlete-id; SD404 athlete.
Example: SELECT racing.athlete(athlete_id => 1)$$;

-- The athlete's lock keeps entering out until the change commits.
CREATE OR REPLACE FUNCTION racing.update_athlete(athlete_id bigint, changes jsonb)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  a racing.athlete;
  was racing.athlete;
  wrong text;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_present(athlete_id, 'athlete-id');
  PERFORM settled.check_keys(changes, '{displayName,dateOfBirth,gender,userType}', 'changes');
  SELECT k.key INTO wrong FROM jsonb_each(changes) AS k WHERE jsonb_typeof(k.value) NOT IN ('string', 'null') LIMIT 1;
  IF FOUND THEN
    PERFORM settled.refuse_key(wrong, 'a string');
  END IF;
  SELECT x.* INTO was FROM racing.athlete AS x WHERE x.id = update_athlete.athlete_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'athlete', 'there is no such athlete');
  ELSIF was.erased_at IS NOT NULL THEN
    PERFORM settled.fail('SD409', 'erased', 'the athlete was erased');
  END IF;
  a := was;
  a.date_of_birth := coalesce(racing.read_birth_date(changes ->> 'dateOfBirth'), a.date_of_birth);
  IF changes ->> 'displayName' <> a.display_name THEN
    a.display_name := settled.shown_name(changes ->> 'displayName', 'displayName');
  END IF;
  a.gender := coalesce(changes ->> 'gender', a.gender);
  a.user_type := coalesce(changes ->> 'userType', a.user_type);
  PERFORM racing.check_athlete(a.date_of_birth, a.gender, a.user_type);
  IF (a.date_of_birth, a.gender) IS DISTINCT FROM (was.date_of_birth, was.gender)
    AND EXISTS (SELECT FROM racing.entry AS e WHERE e.athlete_id = a.id)
  THEN
    PERFORM settled.fail('SD409', 'profile-frozen', 'date of birth and gender cannot be changed after the first entry');
  END IF;
  UPDATE racing.athlete AS x SET
      display_name = a.display_name, date_of_birth = a.date_of_birth, gender = a.gender, user_type = a.user_type,
      updated_at = settled.clock()
    WHERE x.id = a.id;
  RETURN racing.athlete(a.id);
END
$$;
COMMENT ON FUNCTION racing.update_athlete(bigint, jsonb) IS
$$Changes an athlete's profile. Values whose keys are absent or null do not change.
changes: a JSON object.
  displayName (text, optional): 1 to 10,000 characters, including at least one visible character.
  dateOfBirth (text, optional): YYYY-MM-DD, from 1900 to today; fixed after the first entry.
  gender (text, optional): female, male or other; fixed after the first entry.
  userType (text, optional): racer or spectator.
Returns the athlete in the format of racing.athlete.
Refuses: SD400 athlete-id, changes, date-of-birth, display-name, gender, isolation, key, time-zone (racing.time_zone is
    unknown), user-type; SD404 athlete; SD409 erased, profile-frozen (the athlete has entered a race).
Example: SELECT racing.update_athlete(athlete_id => 1, changes => '{"displayName": "Ann Lee-Fox"}')$$;

-- Corrects date of birth and gender also after the first entry; entries are kept. A null argument changes nothing.
-- Returns {before, after}, each {athleteId, dateOfBirth, gender}.
CREATE OR REPLACE FUNCTION racing.correct_athlete(athlete_id bigint, date_of_birth text, gender text)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  was racing.athlete;
  born date;
  new_gender text;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_present(athlete_id, 'athlete-id');
  SELECT x.* INTO was FROM racing.athlete AS x WHERE x.id = correct_athlete.athlete_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'athlete', 'there is no such athlete');
  ELSIF was.erased_at IS NOT NULL THEN
    PERFORM settled.fail('SD409', 'erased', 'the athlete was erased');
  END IF;
  born := coalesce(racing.read_birth_date(date_of_birth), was.date_of_birth);
  new_gender := coalesce(gender, was.gender);
  PERFORM racing.check_athlete(born, new_gender, was.user_type);
  UPDATE racing.athlete AS x SET date_of_birth = born, gender = new_gender, updated_at = settled.clock()
    WHERE x.id = was.id AND (x.date_of_birth, x.gender) IS DISTINCT FROM (born, new_gender);
  RETURN jsonb_build_object(
    'before', jsonb_build_object('athleteId', was.id, 'dateOfBirth', to_char(was.date_of_birth, 'YYYY-MM-DD'),
      'gender', was.gender),
    'after', jsonb_build_object('athleteId', was.id, 'dateOfBirth', to_char(born, 'YYYY-MM-DD'), 'gender', new_gender));
END
$$;

SELECT settled.declare_callers('racing',
  contract => '{create_athlete, update_athlete, athlete}', daemon => '{correct_athlete}', fixed => '{correct_athlete}');
