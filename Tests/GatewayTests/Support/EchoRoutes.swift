import ControlAPI
import Gateway
import HTTPServing
import TextCoding
import Postgres

/// Routes that tests call, with functions that echo, refuse, count and wait.
enum EchoRoutes {
  /// Stands in for what the gateway's own migrations make.
  static let schema = """
    CREATE SCHEMA gateway;
    CREATE TABLE gateway.kept (scope text, key text, fingerprint text, answer jsonb, PRIMARY KEY (scope, key));
    CREATE SEQUENCE gateway.numbers;
    CREATE TABLE gateway.meeting (id int PRIMARY KEY, n int);
    INSERT INTO gateway.meeting VALUES (1, 0), (2, 0);
    CREATE FUNCTION gateway.refuse(state text, rule text, message text) RETURNS jsonb LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION USING ERRCODE = state, MESSAGE = message,
          DETAIL = jsonb_build_object('rule', rule, 'dateKey', '2031-01-01')::text;
      END $$;
    CREATE FUNCTION gateway.is_current(account bigint, epoch bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
      BEGIN
        IF epoch <> 1 THEN PERFORM gateway.refuse('SD401', 'token', 'this token has ended: log in again'); END IF;
        RETURN true;
      END $$;
    CREATE FUNCTION gateway.earlier_answer(s text, k text, f text, p text[], v text) RETURNS jsonb LANGUAGE plpgsql AS $$
      DECLARE old gateway.kept;
      BEGIN
        INSERT INTO gateway.kept VALUES (s, k, f) ON CONFLICT DO NOTHING;
        IF FOUND THEN RETURN NULL; END IF;
        SELECT * INTO old FROM gateway.kept WHERE scope = s AND key = k;
        IF old.fingerprint <> f THEN
          PERFORM gateway.refuse('SD409', 'idempotency-key', 'this key was used for another request');
        END IF;
        RETURN old.answer;
      END $$;
    CREATE FUNCTION gateway.keep_answer(s text, k text, f text, a jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE gateway.kept SET answer = a WHERE scope = s AND key = k;
        RETURN a;
      END $$;
    CREATE FUNCTION gateway.count(seconds float8 DEFAULT 0) RETURNS jsonb LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_sleep(seconds);
        RETURN jsonb_build_object('count', nextval('gateway.numbers'));
      END $$;
    CREATE FUNCTION gateway.list(max int, behind bigint) RETURNS jsonb LANGUAGE sql AS $$
      SELECT coalesce(jsonb_agg(jsonb_build_object('id', n::text) ORDER BY n), '[]')
      FROM (SELECT n FROM generate_series(coalesce(behind, 0) + 1, 120) AS n ORDER BY n LIMIT max) AS page $$;
    CREATE FUNCTION gateway.conflict(key text, failures int) RETURNS jsonb LANGUAGE plpgsql AS $$
      BEGIN
        IF nextval('gateway.numbers') <= failures THEN RAISE EXCEPTION USING ERRCODE = '40001', MESSAGE = 'met'; END IF;
        RETURN '{"done":true}';
      END $$;
    """

  private static let any: AnswerSchema = .anything
  private static let object = AnswerSchema.object([:], optional: ["name": .text])

  static let all: [Route] = people + team + readers + days

  private static let people: [Route] = [
    Route(
      .get, "echo/:id", of: .racepace, access: .everybody, answer: any, summary: "Echo",
      action: .call { call throws(GatewayError) in
        let values = ["id": call["id"], "name": call.text("name") ?? "-", "prefix": call.prefix]
        let json = JSONText.object(values.sorted { $0.key < $1.key }.map { ($0.key, JSONText.quoted($0.value)) })
        return "\(json)::text::jsonb"
      }),
    Route(
      .get, "races/:id", of: .racepace, access: .everybody, answer: any, summary: "Id",
      action: .call { call throws(GatewayError) in
        "jsonb_build_object('id', \(try call.id("id", of: "race")))"
      }),
    Route(
      .get, "things", of: .racepace, access: .everybody, paging: Paging(.after), answer: any, summary: "List",
      action: .call { call throws(GatewayError) in
        "gateway.list(\(Int32(call.page?.limit ?? 0)), \(call.page?.id))"
      }),
    Route(
      .get, "counts", of: .racepace, access: .everybody, answer: any, summary: "Another answer each time",
      action: .call { _ throws(GatewayError) in "gateway.count()" }),
    Route(
      .get, "waits/:seconds", of: .racepace, access: .everybody, answer: any, summary: "Wait",
      action: .call { call throws(GatewayError) in "gateway.count(\(Double(call["seconds"]) ?? 0))" }),
    Route(
      .get, "conflicts/:failures", of: .racepace, access: .everybody, answer: any, summary: "Conflict",
      action: .call { call throws(GatewayError) in "gateway.conflict('', \(Int32(call["failures"]) ?? 0))" }),
    Route(
      .get, "refusals/:state", of: .racepace, access: .everybody, answer: any, summary: "Refuse",
      action: .call { call throws(GatewayError) in
        "gateway.refuse(\(call["state"]), 'some-rule', 'these are words')"
      }),
    Route(
      .get, "bugs/:kind", of: .racepace, access: .everybody, answer: any, summary: "Fail",
      action: .call { call throws(GatewayError) in
        call["kind"] == "secret" ? "('secret words'::text)::int::text::jsonb" : "gateway.nothing()"
      }),
    Route(
      .get, "users/:id", of: .racepace, access: .own(.athlete, parameter: "id"), answer: any, summary: "Self",
      action: .call { call throws(GatewayError) in
        "jsonb_build_object('id', \(try call.id("id", of: "athlete")))"
      }),
    Route(
      .put, "users/:id", of: .racepace, access: .own(.athlete, parameter: "id"), body: object, answer: any,
      summary: "Body", action: .call { call throws(GatewayError) in "\(call.body ?? "")::text::jsonb" }),
    Route(
      .post, "users/:id/counts", of: .racepace, access: .own(.athlete, parameter: "id"), body: object, success: 201,
      answer: any, summary: "Count", action: .call { _ throws(GatewayError) in "gateway.count()" }),
    Route(
      .post, "activities", of: .racepace, access: .token, body: .anything, bodyLimit: .activity, answer: any,
      summary: "Large",
      action: .call { call throws(GatewayError) in
        "jsonb_build_object('bytes', octet_length(\(call.body ?? "")))"
      }),
    Route(
      .post, "wallets/:id/deposit", of: .racepace, access: .role(.payments), repetition: .required, body: object,
      answer: any, summary: "Key",
      action: .call { call throws(GatewayError) in "jsonb_build_object('key', \(call.requiredKey))" }),
    Route(
      .post, "auth/login", of: .racepace, access: .everybody, body: object, answer: any, summary: "Work",
      limit: .signIn,
      action: .work { call, _ in
        Response(status: 200, contentType: "application/json", body: call.body ?? "")
      }),
    Route(
      .post, "auth/logout", of: .racepace, access: .token, success: 204, answer: any, summary: "Nothing",
      action: .call { _ throws(GatewayError) in "'null'::jsonb" }),
  ]

  private static let team: [Route] = [
    Route(
      .get, "points/seasonal/progress", of: .seasons, access: .everybody, answer: any, summary: "Literal",
      action: .call { _ throws(GatewayError) in #"'{"literal":true}'::jsonb"# }),
    Route(
      .get, "points/seasonal/:runnerId", of: .seasons, access: .everybody, answer: any, summary: "Parameter",
      action: .call { call throws(GatewayError) in "jsonb_build_object('runner', \(call["runnerId"]))" }),
    Route(
      .post, "points/earn", of: .seasons, access: .token, body: .object(["points": .integer]), answer: any,
      summary: "Earn", action: .call { _ throws(GatewayError) in "gateway.count()" }),
  ]

  private static let readers: [Route] = [
    Route(
      .get, "me/achievements", of: .gread, access: .identity(.reader), answer: any, summary: "Me",
      action: .call { call throws(GatewayError) in "jsonb_build_object('prefix', \(call.prefix))" })
  ]

  private static let days: [Route] = [
    Route(
      .get, "auth/me", of: .checkin, access: .identity(.checkin), answer: any, summary: "Me",
      action: .call { _ throws(GatewayError) in #"'{"me":true}'::jsonb"# }),
    Route(
      .post, "age/daily-update", of: .checkin, access: .identity(.checkin), body: object, answer: any, summary: "Again",
      action: .call { _ throws(GatewayError) in "gateway.refuse('SD409', 'day', 'already done')" }),
  ]
}
