-- Lists of achievements, single ones, and the check.

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

-- A person's achievements. They are masked by what that person has unlocked, whoever looks.
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
    PERFORM settled.fail('SD400', 'filter', 'the filter is all, unlocked or locked');
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

-- Does what the job would do for a person now. What is newly unlocked is what neither
-- it nor an earlier call has told of.
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

SELECT settled.declare_callers('achievements', contract => '{catalogue, by_id, by_slug, of_user, check}');
