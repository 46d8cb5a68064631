-- Deletes an account and its traces in operators' commands. Its tokens are revoked. gone: {account, names}, which other
-- systems may have stored.
CREATE OR REPLACE FUNCTION accounts.erase_account(account_id bigint)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  a accounts.account;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_present(account_id, 'account-id');
  SELECT x.* INTO a FROM accounts.account AS x WHERE x.id = erase_account.account_id FOR UPDATE;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'account', 'there is no such account');
  END IF;
  DELETE FROM accounts.one_time_token AS t WHERE t.account_id = a.id;
  DELETE FROM accounts.attempt AS t WHERE t.name_digest IN (
    sha256(convert_to(lower(a.email), 'UTF8')), sha256(convert_to(lower(coalesce(a.username, a.email)), 'UTF8')));
  DELETE FROM accounts.known_address AS k WHERE k.name_digest IN (
    accounts.name_digest(a.email), accounts.name_digest(coalesce(a.username, a.email)));
  DELETE FROM accounts.account AS x WHERE x.id = a.id;
  PERFORM settled.erase_audit(ARRAY['account ' || a.id]);
  DELETE FROM settled.request AS r WHERE r.answer -> 'account' ->> 'id' = a.id::text OR r.answer ->> 'email' = a.email;
  RETURN jsonb_build_object('erased', jsonb_build_object('accounts', 1), 'kept', '[]'::jsonb,
    'gone', jsonb_build_object('account', a.id, 'names', jsonb_build_array(a.email, a.username)));
END
$$;

-- Erases the account of a person who is erased in a system. The account loses its link to that system, and is deleted
-- with its last link. gone: as above, including where the link was.
CREATE OR REPLACE FUNCTION accounts.erase_link(kind text, id text)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  a accounts.account;
  others text[];
  answer jsonb := '{"erased": {"accounts": 0}, "kept": []}'::jsonb;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_text(kind, 'kind', min => 1);
  PERFORM settled.check_text(id, 'id', min => 1);
  FOR a IN
    SELECT x.* FROM accounts.account AS x WHERE CASE kind
        WHEN 'athlete' THEN x.athlete_id::text = erase_link.id
        WHEN 'runner' THEN x.runner_id::text = erase_link.id
        WHEN 'reader' THEN x.reader_id::text = erase_link.id
        WHEN 'checkin' THEN x.checkin_id = erase_link.id
        WHEN 'user' THEN x.username = erase_link.id END
      FOR UPDATE
  LOOP
    IF num_nonnulls(a.athlete_id, a.runner_id, a.reader_id, a.checkin_id, a.username) <= 1 THEN
      answer := accounts.erase_account(a.id);
    ELSE
      UPDATE accounts.account AS x SET
          athlete_id = CASE WHEN kind <> 'athlete' THEN x.athlete_id END,
          runner_id = CASE WHEN kind <> 'runner' THEN x.runner_id END,
          reader_id = CASE WHEN kind <> 'reader' THEN x.reader_id END,
          checkin_id = CASE WHEN kind <> 'checkin' THEN x.checkin_id END,
          username = CASE WHEN kind <> 'user' THEN x.username END,
          display_name = CASE WHEN kind = 'user' AND lower(x.display_name) = lower(x.username) THEN settled.erased_name()
            ELSE x.display_name END,
          epoch = x.epoch + 1
        WHERE x.id = a.id;
      IF kind = 'user' THEN
        PERFORM settled.erase_audit(ARRAY['account ' || a.id]);
      END IF;
      others := array_remove(ARRAY[
        CASE WHEN a.username IS NOT NULL THEN 'user' END, CASE WHEN a.athlete_id IS NOT NULL THEN 'athlete' END,
        CASE WHEN a.runner_id IS NOT NULL THEN 'runner' END, CASE WHEN a.reader_id IS NOT NULL THEN 'reader' END,
        CASE WHEN a.checkin_id IS NOT NULL THEN 'checkin' END], NULL);
      answer := jsonb_build_object('erased', '{"accounts": 0}'::jsonb, 'kept', jsonb_build_array(
        format('account %s, which is also linked to: %s', a.id, array_to_string(array_remove(others, kind), ', '))));
    END IF;
  END LOOP;
  RETURN answer;
END
$$;

SELECT settled.declare_callers('accounts',
  daemon => '{erase_account, erase_link}',
  fixed => '{erase_account, erase_link}');
