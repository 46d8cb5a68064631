-- Lists of achievements, single achievements, and the check.

CREATE OR REPLACE FUNCTION achievements.catalogue(
  viewer bigint DEFAULT NULL, category text DEFAULT NULL, hidden text DEFAULT 'masked')
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM achievements.check_category(category);
  PERFORM achievements.check_hidden(hidden);
  PERFORM achievements.check_viewer(viewer);
  RETURN (
    SELECT coalesce(jsonb_agg(i.item ORDER BY i.place), '[]') FROM achievements.items(viewer) AS i
    WHERE (catalogue.category IS NULL OR i.category = catalogue.category) AND (hidden = 'masked' OR NOT i.is_hidden));
END
$$;
COMMENT ON FUNCTION achievements.catalogue(bigint, text, text) IS
$$Lists achievements in display order.
viewer: the user whose progress is included; null: no user.
category: authors, books_and_series, categories, contributions or career; null: all categories.
hidden: masked to mask hidden achievements, or absent to omit them.
Returns an array of objects with id, slug, name, description, icon, unlock_requirements, progress, steps, is_multistep,
    is_unlocked, date_unlocked, reward, is_hidden, category and display_order.
Refuses: SD400 category, hidden; SD404 user.
Example: SELECT achievements.catalogue(viewer => 1, category => 'career')$$;

CREATE OR REPLACE FUNCTION achievements.by_id(id bigint, viewer bigint DEFAULT NULL)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  shown jsonb;
BEGIN
  PERFORM settled.check_present(id, 'id');
  PERFORM achievements.check_viewer(viewer);
  SELECT i.item INTO shown FROM achievements.items(viewer, by_id.id) AS i;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'achievement', 'there is no such achievement');
  END IF;
  RETURN shown;
END
$$;
COMMENT ON FUNCTION achievements.by_id(bigint, bigint) IS
$$Retrieves an achievement.
viewer: the user whose progress is included; null: no user.
Returns the achievement in the format of achievements.catalogue.
Refuses: SD400 id; SD404 achievement, user.
Example: SELECT achievements.by_id(id => 1, viewer => 1)$$;

CREATE OR REPLACE FUNCTION achievements.by_slug(slug text, viewer bigint DEFAULT NULL)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  id bigint;
BEGIN
  PERFORM settled.check_text(slug, 'slug', min => 1);
  SELECT a.id INTO id FROM achievements.achievement AS a WHERE a.slug = by_slug.slug;
  RETURN achievements.by_id(coalesce(id, 0), viewer);
END
$$;
COMMENT ON FUNCTION achievements.by_slug(text, bigint) IS
$$Retrieves an achievement.
slug: 1 to 10,000 characters.
viewer: the user whose progress is included; null: no user.
Returns the achievement in the format of achievements.catalogue.
Refuses: SD400 slug; SD404 achievement, user.
Example: SELECT achievements.by_slug(slug => 'reader', viewer => 1)$$;

-- Masking depends on what that person has unlocked, regardless of the viewer.
CREATE OR REPLACE FUNCTION achievements.of_user(
  user_id bigint, viewer bigint DEFAULT NULL, category text DEFAULT NULL, filter text DEFAULT 'all',
  hidden text DEFAULT 'masked')
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_present(user_id, 'user-id');
  PERFORM achievements.check_category(category);
  IF filter IS NULL OR filter NOT IN ('all', 'unlocked', 'locked') THEN
    PERFORM settled.fail('SD400', 'filter', 'the filter must be all, unlocked or locked');
  END IF;
  PERFORM achievements.check_hidden(hidden);
  PERFORM achievements.check_viewer(user_id);
  PERFORM achievements.check_viewer(viewer);
  RETURN (
    SELECT jsonb_build_object(
      'user_id', user_id,
      'total', count(*) FILTER (WHERE i.is_wanted),
      'unlocked_count', count(*) FILTER (WHERE i.is_wanted AND i.is_unlocked),
      'achievements', coalesce(jsonb_agg(i.item ORDER BY i.place) FILTER (WHERE i.is_wanted), '[]'))
    FROM (
      SELECT x.*, (of_user.category IS NULL OR coalesce(x.category = of_user.category, false))
        AND (filter = 'all' OR x.is_unlocked = (filter = 'unlocked')) AS is_wanted
      FROM achievements.items(user_id) AS x WHERE hidden = 'masked' OR NOT x.is_hidden
    ) AS i);
END
$$;
COMMENT ON FUNCTION achievements.of_user(bigint, bigint, text, text, text) IS
$$Lists a user's achievements and progress.
viewer: the calling user; null: none. The viewer does not affect the result.
category: authors, books_and_series, categories, contributions or career; null: all categories.
filter: all, unlocked or locked.
hidden: masked to mask hidden achievements, or absent to omit them.
Returns user_id, total, unlocked_count and achievements in the format of achievements.catalogue.
Refuses: SD400 category, filter, hidden, user-id; SD404 user.
Example: SELECT achievements.of_user(user_id => 1, filter => 'locked')$$;

-- Newly unlocked achievements are those that neither the job nor an earlier call has returned.
CREATE OR REPLACE FUNCTION achievements.check(user_id bigint)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  unlocked bigint[];
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_present(user_id, 'user-id');
  unlocked := achievements.settle(achievements.hold_person(user_id));
  RETURN (
    SELECT jsonb_build_object(
      'newly_unlocked', coalesce(jsonb_agg(i.item ORDER BY i.place) FILTER (WHERE i.id = ANY (unlocked)), '[]'),
      'achievements', coalesce(jsonb_agg(i.item ORDER BY i.place), '[]'))
    FROM achievements.items(user_id) AS i);
END
$$;
COMMENT ON FUNCTION achievements.check(bigint) IS
$$Records a user's newly reached achievements immediately, without waiting for the job.
Returns newly_unlocked and achievements, both in the format of achievements.catalogue.
Refuses: SD400 isolation, user-id; SD404 user.
Example: SELECT achievements.check(user_id => 1)$$;

SELECT settled.declare_callers('achievements', contract => '{catalogue, by_id, by_slug, of_user, check}');
