-- Team talks, reactions and comments.

-- The talk with a uuid. Fails if there is none.
CREATE OR REPLACE FUNCTION seasons.find_talk(team_talk_uuid uuid)
RETURNS seasons.team_talk
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  t seasons.team_talk;
BEGIN
  PERFORM settled.check_present(team_talk_uuid, 'team-talk-uuid');
  SELECT x.* INTO t FROM seasons.team_talk AS x WHERE x.uuid = team_talk_uuid;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'team-talk', 'there is no such team talk');
  END IF;
  RETURN t;
END
$$;

CREATE OR REPLACE FUNCTION seasons.check_team(team text)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF team IS NULL OR team NOT IN ('UA', 'NU') THEN
    PERFORM settled.fail('SD400', 'team', 'team must be UA or NU');
  END IF;
END
$$;

CREATE OR REPLACE FUNCTION seasons.create_team_talk(request jsonb)
RETURNS uuid
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  t seasons.team_talk;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_keys(request, '{author,season,year,title,content,team}', 'request');
  t.author := settled.text_of(request, 'author', min => 1);
  SELECT s.season, s.year INTO t.season, t.year FROM seasons.season_of_request(request) AS s;
  t.title := settled.text_of(request, 'title', min => 1);
  t.content := settled.text_of(request, 'content', min => 1, max => 100000);
  t.team := settled.text_of(request, 'team', min => 1);
  PERFORM seasons.check_team(t.team);
  t.created_at := settled.clock();
  INSERT INTO seasons.team_talk AS x (author, season, year, title, content, team, created_at, updated_at)
    VALUES (t.author, t.season, t.year, t.title, t.content, t.team, t.created_at, t.created_at)
    RETURNING x.uuid INTO t.uuid;
  RETURN t.uuid;
END
$$;
COMMENT ON FUNCTION seasons.create_team_talk(jsonb) IS
$$Creates a team talk.
request: a JSON object.
  author (text): 1 to 10,000 characters.
  season (text): xc or track.
  year (text or number): four digits.
  title (text): 1 to 10,000 characters.
  content (text): 1 to 100,000 characters.
  team (text): UA or NU.
Returns the talk's uuid.
Refuses: SD400 author, content, isolation, key, request, season, team, title, year.
Example: SELECT seasons.create_team_talk(request => '{"author": "Coach Kim", "season": "xc", "year": "2031",
    "title": "Race week", "content": "Rest on Thursday.", "team": "UA"}')$$;

-- Checks that a reaction has at most a few characters.
CREATE OR REPLACE FUNCTION seasons.check_emoji(emoji text)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_text(emoji, 'emoji', min => 1, max => 64);
END
$$;

-- The number is limited because every read of a talk returns all reactions.
CREATE OR REPLACE FUNCTION seasons.react(team_talk_uuid uuid, username text, emoji text)
RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  t seasons.team_talk;
  u seasons.app_user;
BEGIN
  PERFORM settled.check_writer();
  PERFORM seasons.check_emoji(emoji);
  t := seasons.find_talk(team_talk_uuid);
  u := seasons.find_user(username);
  IF (SELECT count(*) >= 50 AND NOT bool_or(r.emoji = react.emoji) FROM seasons.reaction AS r
    WHERE r.talk_id = t.id AND r.user_id = u.id)
  THEN
    PERFORM settled.fail('SD400', 'emoji', 'a user can react to a team talk with at most 50 different emoji');
  END IF;
  INSERT INTO seasons.reaction (talk_id, emoji, user_id, reacted_at) VALUES (t.id, emoji, u.id, settled.clock())
    ON CONFLICT ON CONSTRAINT reaction_once DO NOTHING;
END
$$;
COMMENT ON FUNCTION seasons.react(uuid, text, text) IS
$$Adds a person's reaction to a team talk. A repeated call changes nothing.
emoji: 1 to 64 characters. A person can have at most 50 reactions per talk.
Returns nothing.
Refuses: SD400 emoji, isolation, team-talk-uuid, username; SD404 team-talk, user.
Example: SELECT seasons.react(team_talk_uuid => (seasons.team_talks() #>> '{0,teamTalk,uuid}')::uuid,
    username => 'ann', emoji => '🔥')$$;

CREATE OR REPLACE FUNCTION seasons.unreact(team_talk_uuid uuid, username text, emoji text)
RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  t seasons.team_talk;
  u seasons.app_user;
BEGIN
  PERFORM settled.check_writer();
  PERFORM seasons.check_emoji(emoji);
  t := seasons.find_talk(team_talk_uuid);
  u := seasons.find_user(username);
  DELETE FROM seasons.reaction AS r WHERE r.talk_id = t.id AND r.emoji = unreact.emoji AND r.user_id = u.id;
END
$$;
COMMENT ON FUNCTION seasons.unreact(uuid, text, text) IS
$$Removes a person's reaction from a team talk. If there is no such reaction, nothing changes.
emoji: 1 to 64 characters.
Returns nothing.
Refuses: SD400 emoji, isolation, team-talk-uuid, username; SD404 team-talk, user.
Example: SELECT seasons.unreact(team_talk_uuid => (seasons.team_talks() #>> '{0,teamTalk,uuid}')::uuid,
    username => 'ann', emoji => '🔥')$$;

CREATE OR REPLACE FUNCTION seasons.comment(team_talk_uuid uuid, username text, message text, parent uuid DEFAULT NULL)
RETURNS uuid
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  t seasons.team_talk;
  u seasons.app_user;
  above seasons.comment;
  c seasons.comment;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_text(message, 'message', min => 1);
  t := seasons.find_talk(team_talk_uuid);
  u := seasons.find_user(username);
  c.depth := 0;
  IF parent IS NOT NULL THEN
    SELECT x.* INTO above FROM seasons.comment AS x WHERE x.uuid = parent AND x.talk_id = t.id;
    IF NOT FOUND THEN
      PERFORM settled.fail('SD404', 'comment', 'there is no such comment on this team talk');
    ELSIF above.depth >= 8 THEN
      PERFORM settled.fail('SD400', 'depth', 'replies can be nested at most 8 levels deep');
    END IF;
    c.depth := above.depth + 1;
  END IF;
  c.created_at := settled.clock();
  INSERT INTO seasons.comment AS x (talk_id, user_id, message, parent_id, depth, created_at, updated_at)
    VALUES (t.id, u.id, message, above.id, c.depth, c.created_at, c.created_at) RETURNING x.uuid INTO c.uuid;
  RETURN c.uuid;
END
$$;
COMMENT ON FUNCTION seasons.comment(uuid, text, text, uuid) IS
$$Adds a person's comment to a team talk, or a reply to a comment.
message: 1 to 10,000 characters.
parent: the comment that this one replies to; null: none. Replies can be nested at most 8 levels deep.
Returns the comment's uuid.
Refuses: SD400 depth, isolation, message, team-talk-uuid, username; SD404 comment, team-talk, user.
Example: SELECT seasons.comment(team_talk_uuid => (seasons.team_talks() #>> '{0,teamTalk,uuid}')::uuid,
    username => 'ann', message => 'See you there!')$$;

SELECT settled.declare_callers('seasons', contract => '{create_team_talk, react, unreact, comment}');
