-- Erases a person's data in the gateway: the account, stored responses, and the name of a moderator.
-- Source: Engine.docc/Erasing.md.

-- kind: account, or the kind of person erased in another system: athlete, runner, user, reader, checkin. id: the
-- person's id in that system.
CREATE OR REPLACE FUNCTION gateway.erase_person(kind text, id text)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  answer jsonb;
  account text;
  names text[];
  reviewers bigint;
  answers bigint;
  decisions bigint;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_text(kind, 'kind', min => 1);
  PERFORM settled.check_text(id, 'id', min => 1);
  IF kind = 'account' AND id !~ '^[0-9]{1,18}$' THEN
    PERFORM settled.fail('SD400', 'id', 'an account id must be a number');
  END IF;
  answer := CASE kind WHEN 'account' THEN accounts.erase_account(id::bigint) ELSE accounts.erase_link(kind, id) END;
  account := answer #>> '{gone,account}';
  -- With a manually signed token, decisions are stored under the username, without an account.
  names := ARRAY(SELECT jsonb_array_elements_text(answer #> '{gone,names}')) || CASE kind WHEN 'user' THEN id END;
  reviewers := racing.erase_reviewer(names);
  answers := gateway.erase_answers(array_remove(ARRAY[
    CASE kind WHEN 'user' THEN 'username' ELSE kind END || ':' || id, 'account:' || account], NULL));
  SELECT count(*) INTO decisions FROM racing.decision AS d WHERE d.reviewer = 'account ' || account;
  RETURN jsonb_build_object(
    'erased', answer -> 'erased' || jsonb_build_object('reviewers', reviewers, 'answers', answers),
    'kept', answer -> 'kept' || CASE WHEN decisions > 0
      THEN jsonb_build_array(format('decisions on activities, by account %s', account)) ELSE '[]' END);
END
$$;

SELECT settled.declare_callers('gateway', daemon => '{erase_person}', fixed => '{erase_person}');
