-- The audit is read by more people than accounts are: of an account it keeps ids, usernames and roles, and neither address
-- nor display name. What a former release wrote loses them here, which its guards would refuse.
-- The text before failed where the guard has the name that release 6 gave it.
-- replaces: bc4aef41242fe7ed16a588e925abdeaaf4cfc2cda2b0f25b71c031bc194f617c
DO $$
DECLARE
  guards constant name[] := ARRAY(
    SELECT t.tgname FROM pg_trigger AS t
    WHERE t.tgrelid = 'settled.audit'::regclass AND t.tgname IN ('append_only', 'erased_only') AND t.tgenabled <> 'D');
  guard name;
BEGIN
  FOREACH guard IN ARRAY guards LOOP
    EXECUTE format('ALTER TABLE settled.audit DISABLE TRIGGER %I', guard);
  END LOOP;
  UPDATE settled.audit SET
      before = CASE jsonb_typeof(before) WHEN 'object' THEN before - '{email,displayName}'::text[] ELSE before END,
      after = CASE jsonb_typeof(after) WHEN 'object' THEN after - '{email,displayName}'::text[] ELSE after END
    WHERE command LIKE 'account.%';
  FOREACH guard IN ARRAY guards LOOP
    EXECUTE format('ALTER TABLE settled.audit ENABLE TRIGGER %I', guard);
  END LOOP;
END
$$;
