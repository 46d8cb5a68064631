import Postgres
import TestSupport
import Testing

@Suite("A request with an Idempotency-Key") struct AnswerTests {
  /// Counts how often the call was really made.
  private static func call(_ key: String = "k", fingerprint: String = "f", scope: String = "1 POST /x") -> String {
    """
    SELECT coalesce(gateway.earlier_answer('\(scope)', '\(key)', '\(fingerprint)'),
      gateway.keep_answer('\(scope)', '\(key)', '\(fingerprint)', public.count_call()))
    """
  }

  private static func world() async throws -> SettledDatabase {
    let database = try await SettledDatabase.simulated()
    try await database.connect().script(
      """
      CREATE TABLE public.called (at timestamptz);
      CREATE FUNCTION public.count_call() RETURNS jsonb LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
        INSERT INTO public.called VALUES (clock_timestamp());
        RETURN jsonb_build_object('call', (SELECT count(*) FROM public.called));
      END $$;
      GRANT USAGE ON SCHEMA public TO settled_gateway; GRANT EXECUTE ON FUNCTION public.count_call() TO settled_gateway;
      """)
    return database
  }

  @Test func `a repeated request under an Idempotency-Key gets the first answer, and runs once`() async throws {
    let gateway = try await Self.world().connect(.gateway)
    for _ in 0..<3 { #expect(try await gateway.value(Self.call(), as: JSON.self).text == #"{"call": 1}"#) }
    #expect(try await gateway.value(Self.call("K"), as: JSON.self).text == #"{"call": 2}"#)
    #expect(try await gateway.value(Self.call(scope: "2 POST /x"), as: JSON.self).text == #"{"call": 3}"#)
    // The end of a scope is no beginning of a key.
    #expect(try await gateway.value(Self.call("xk", scope: "1 POST /"), as: JSON.self).text == #"{"call": 4}"#)
  }

  @Test func `another request under a used Idempotency-Key conflicts`() async throws {
    let gateway = try await Self.world().connect(.gateway)
    try await gateway.run(Self.call())
    #expect(try await gateway.tried(Self.call(fingerprint: "g")) == "SD409 idempotency-key")
    #expect(
      try await gateway.tried("SELECT gateway.keep_answer('1 POST /x', 'k', 'f', '1')") == "SD409 idempotency-key")
    #expect(try await gateway.tried("SELECT gateway.keep_answer('s', 'new', 'f', '1')") == "SD409 idempotency-key")
  }

  @Test func `a repeated request is known by its value, also where a gateway of a former release kept its text`()
    async throws
  {
    let gateway = try await Self.world().connect(.gateway)
    func call(_ key: String, _ fingerprint: String, _ value: String?) async throws -> String {
      let value = value.map { ", '{}', '\($0)'" } ?? ""
      let statement = """
        SELECT coalesce(gateway.earlier_answer('1 POST /x', '\(key)', '\(fingerprint)'\(value)),
          gateway.keep_answer('1 POST /x', '\(key)', '\(fingerprint)', public.count_call()))
        """
      return try await outcome { try await gateway.value(statement, as: JSON.self) }
    }
    for (fingerprint, value) in [("f", "v"), ("g", "v"), ("f", nil), ("f", "v")] as [(String, String?)] {
      #expect(try await call("k", fingerprint, value) == "ok")
    }
    for (fingerprint, value) in [("g", "w"), ("g", nil)] as [(String, String?)] {
      #expect(try await call("k", fingerprint, value) == "SD409 idempotency-key")
    }
    #expect(try await call("former", "f", nil) == "ok")
    #expect(try await call("former", "f", "v") == "ok")
    #expect(try await call("former", "g", "v") == "SD409 idempotency-key")
    #expect(try await gateway.value("SELECT public.count_call()", as: JSON.self).text == #"{"call": 3}"#)
  }

  @Test func `a repeated request waits for the first one under its key, and gets its answer`() async throws {
    let database = try await Self.world()
    let (owner, first, second) = (
      try await database.connect(), try await database.connect(.gateway), try await database.connect(.gateway)
    )
    let answer = try await first.transaction { transaction in
      try await transaction.run(Self.call())
      let answer = Task { try await second.value(Self.call(), as: JSON.self).text }
      try await owner.untilBlocked(by: first.backendPID)
      return answer
    }
    #expect(try await answer.value == #"{"call": 1}"#)
    #expect(try await owner.value("SELECT count(*) FROM public.called") == 1)
  }

  @Test func `a different request under a busy key is refused after it has waited`() async throws {
    let database = try await Self.world()
    let (owner, first, second) = (
      try await database.connect(), try await database.connect(.gateway), try await database.connect(.gateway)
    )
    let ended = try await first.transaction { transaction in
      try await transaction.run(Self.call())
      let ended = Task { try await outcome { try await second.run(Self.call(fingerprint: "g")) } }
      try await owner.untilBlocked(by: first.backendPID)
      return ended
    }
    #expect(try await ended.value == "SD409 idempotency-key")
  }

  @Test func `a failed request leaves no answer, and the one that waited for its key runs`() async throws {
    let database = try await Self.world()
    let (owner, first, second) = (
      try await database.connect(), try await database.connect(.gateway), try await database.connect(.gateway)
    )
    let answer = try await first.transaction(commit: false) { transaction in
      try await transaction.run(Self.call(fingerprint: "other"))
      let answer = Task { try await second.value(Self.call(), as: JSON.self).text }
      try await owner.untilBlocked(by: first.backendPID)
      return answer
    }
    #expect(try await answer.value == #"{"call": 1}"#)
    #expect(try await owner.value("SELECT count(*) FROM gateway.answer") == 1)
  }

  @Test func `about ten thousand answers are kept for each caller`() async throws {
    let database = try await Self.world()
    let (owner, gateway) = (try await database.connect(), try await database.connect(.gateway))
    try await owner.run(
      """
      INSERT INTO gateway.answer SELECT sha256(convert_to(c || g, 'UTF8')), c, 'f', '{}', now() - g * interval '1 second'
      FROM generate_series(1, 10003) AS g, unnest('{1,2}'::text[]) AS c
      """)
    let kept = """
      SELECT array_agg(n ORDER BY caller) FROM (SELECT caller, count(*) AS n FROM gateway.answer GROUP BY 1) AS a
      """
    // One transaction in sixteen deletes. Other tests take ids of transactions too, so luck decides which.
    var counts: [Int64] = []
    for round in 1...10 where round <= 2 || counts[0] >= 10_100 {
      for key in 1...100 { try await gateway.run(Self.call("\(round) \(key)")) }
      counts = try await owner.value(kept, as: [Int64].self)
    }
    #expect((10_000..<10_100).contains(counts[0]) && counts[1] == 10_003, "\(counts)")
  }

  @Test func `an idempotency key is free after 30 days of real time, and old answers are deleted`() async throws {
    let database = try await Self.world()
    let (owner, gateway) = (try await database.connect(), try await database.connect(.gateway))
    for key in 1...12 { try await gateway.run(Self.call("\(key)")) }
    try await owner.run("UPDATE gateway.answer SET at = at - interval '30 days 1 minute'")
    #expect(try await gateway.value(Self.call("1", fingerprint: "g"), as: JSON.self).text == #"{"call": 13}"#)
    #expect(try await owner.value("SELECT count(*) FROM gateway.answer") == 2)
    try await gateway.run(Self.call("new"))
    #expect(try await owner.value("SELECT count(*) FROM gateway.answer") == 2)
  }

  private static func under(_ key: String) -> String {
    "SELECT gateway.earlier_answer('a POST /x', '\(key)', 'f', '{athlete:1,account:7}')"
  }

  private static let keep = "SELECT gateway.keep_answer('a POST /x', 'k', 'f', '1')"

  @Test func `requests of one caller under different keys do not wait for each other`() async throws {
    let database = try await Self.world()
    let (one, other) = (try await database.connect(.gateway), try await database.connect(.gateway))
    try await one.run(Self.under("known"))
    try await one.run("BEGIN")
    try await one.run(Self.under("k"))
    try await other.run("SET lock_timeout = '100ms'")
    try await other.run(Self.under("l"))
    try await one.run("ROLLBACK")
  }

  @Test func `an erasing waits for a request under way, and takes its answer`() async throws {
    let database = try await Self.world()
    let (owner, gateway) = (try await database.connect(), try await database.connect(.gateway))
    let eraser = try await database.connect()
    try await gateway.run(Self.under("known"))
    try await gateway.run("BEGIN")
    try await gateway.run(Self.under("k"))
    let erased = Task { try await eraser.value("SELECT gateway.erase_answers('{athlete:1}')") }
    let waiting: Statement = """
      SELECT count(*) FROM pg_stat_activity WHERE pid = \(Int64(eraser.backendPID)) AND wait_event_type = 'Lock'
      """
    try await untilTrue("the erasing that waits") { try await owner.query(waiting).one(Int64.self) == 1 }
    try await gateway.run(Self.keep)
    try await gateway.run("COMMIT")
    #expect(try await erased.value == 2)
    #expect(try await owner.value("SELECT count(*) FROM gateway.answer") == 0)
  }

  @Test func `the daemon deletes old answers and their callers where no request comes`() async throws {
    let database = try await Self.world()
    let (owner, daemon) = (try await database.connect(), try await database.connect(.daemon))
    try await owner.run(
      """
      SELECT gateway.earlier_answer('a POST /' || g, 'k', 'f', ARRAY['account:' || g, 'checkin:ann b']),
        gateway.keep_answer('a POST /' || g, 'k', 'f', '1') FROM generate_series(1, 3) AS g;
      """)
    try await owner.run("UPDATE gateway.answer SET at = at - interval '29 days 23 hours'")
    #expect(try await daemon.value("SELECT gateway.prune_answers()") == 0)
    try await owner.script(
      """
      UPDATE gateway.answer SET at = at - interval '2 hours' WHERE digest <> (SELECT digest FROM gateway.answer LIMIT 1);
      UPDATE gateway.caller_person SET seen_at = seen_at - interval '33 days' WHERE person <> 'account:2'
      """)
    #expect(try await daemon.value("SELECT gateway.prune_answers()") == 2)
    #expect(try await owner.value("SELECT count(*) FROM gateway.answer") == 1)
    let left = "SELECT array_agg(person) FROM gateway.caller_person"
    #expect(try await owner.value(left, as: [String].self) == ["account:2"])
    // A caller is written again at most once a day.
    let rows = "SELECT xmin::text || seen_at FROM gateway.caller_person"
    let written = try await owner.value(rows, as: String.self)
    try await owner.run("SELECT gateway.earlier_answer('a POST /new', 'k', 'f', '{account:2}')")
    #expect(try await owner.value(rows, as: String.self) == written)
    for persons in ["NULL", "'{NULL}'", "'{moderator:1}'", "'{athlete:}'", "array_fill('athlete:1'::text, ARRAY[7])"] {
      let ended = try await owner.tried("SELECT gateway.earlier_answer('a POST /y', 'k', 'f', \(persons))")
      #expect(ended == "SD400 persons", "\(persons)")
    }
  }
}
