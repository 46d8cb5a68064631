import Engine
import Postgres
import Synchronization
import TestSupport
import Testing

/// Who is to blame: the item, or the server. A wrong answer quarantines a good item, or stops all others.
@Suite("Blame for a failed item", .timeLimit(.minutes(3))) struct BlameTests {
  /// One run and its probe; what interrupted it.
  private func turn(_ runner: JobRunner<ChoreJob>) async -> Verdict? {
    let outcome = await runner.runDue(until: StopFlag(), due: .zero)
    await runner.finish()
    return outcome.interruption.map { Verdict(of: $0) }
  }

  private func turn(_ runner: JobRunner<ChoreJob>, untilUndone wanted: [Int64], of chores: Chores) async throws {
    for _ in 0..<60 where try await chores.undone != wanted { _ = await turn(runner) }
    #expect(try await chores.undone == wanted)
  }

  @Test func `a server that is too slow for every item quarantines none, and the job pauses`() async throws {
    let chores = try await Chores(5, statementTimeout: .milliseconds(200))
    try await chores.session.script(
      """
      CREATE TABLE slow AS SELECT true AS is_on;
      CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN IF (SELECT is_on FROM public.slow) THEN PERFORM pg_sleep(60); END IF; RETURN NULL; END $$;
      CREATE TRIGGER slow BEFORE UPDATE ON chore FOR EACH STATEMENT EXECUTE FUNCTION slow();
      """)
    let runner = JobRunner(ChoreJob(), in: chores.context())
    for _ in 1...6 { #expect(await turn(runner) == .timeout) }
    #expect(try await chores.failures.isEmpty)
    try await chores.session.execute("UPDATE slow SET is_on = false")
    try await turn(runner, untilUndone: [], of: chores)
    #expect(try await chores.failures.isEmpty)
  }

  @Test func `items that time out first hold up no others, and count once those succeed`() async throws {
    let chores = try await Chores(12, statementTimeout: .milliseconds(200))
    try await chores.session.script(
      """
      CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(60); RETURN NEW; END $$;
      CREATE TRIGGER slow BEFORE UPDATE ON chore FOR EACH ROW WHEN (NEW.id <= 3) EXECUTE FUNCTION slow();
      """)
    let runner = JobRunner(ChoreJob(), in: chores.context())
    try await turn(runner, untilUndone: [1, 2, 3], of: chores)
    _ = await turn(runner)
    #expect(try await chores.failures.map(\.0) == ["1", "2", "3"])
    #expect(try await chores.failures.allSatisfy { $0.3 == "57014" && !$0.2 })
  }

  @Test func `items that need a missing right hold up no others, and count once those succeed`() async throws {
    let chores = try await Chores(20)
    try await chores.session.script(
      """
      CREATE TABLE secret ();
      CREATE FUNCTION denied() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
        BEGIN PERFORM FROM public.secret; RETURN NEW; END $$;
      ALTER FUNCTION denied() OWNER TO settled_reader;
      CREATE TRIGGER denied BEFORE UPDATE ON chore FOR EACH ROW WHEN (NEW.id <= 12) EXECUTE FUNCTION denied();
      """)
    let runner = JobRunner(ChoreJob(), in: chores.context())
    #expect(await turn(runner) == .installation)
    #expect(try await chores.failures.isEmpty)
    try await turn(runner, untilUndone: Array(1...12), of: chores)
    _ = await turn(runner)
    let failures = try await chores.failures
    #expect(failures.count == 12 && failures.allSatisfy { $0.3 == "42501" && !$0.2 }, "\(failures)")
    try await chores.session.script("GRANT SELECT ON secret TO settled_reader")
    try await chores.endBackoff()
    try await turn(runner, untilUndone: [], of: chores)
    #expect(try await chores.failures.isEmpty)
  }

  @Test func `an item for which the server has no room is never blamed, and holds up no other`() async throws {
    let chores = try await Chores(20)
    try await chores.session.script(
      """
      CREATE FUNCTION large() RETURNS trigger LANGUAGE plpgsql SET temp_file_limit = '64kB' SET work_mem = '64kB' AS $$
        BEGIN
          PERFORM count(*) FROM (SELECT n FROM generate_series(1, 100000) AS n ORDER BY random()) AS s;
          RETURN NEW;
        END $$;
      CREATE TRIGGER large BEFORE UPDATE ON chore FOR EACH ROW WHEN (NEW.id = 1) EXECUTE FUNCTION large();
      """)
    let refused = Mutex(0)
    let context = chores.context { observation in
      guard case .contention(_, let error) = observation, (error as? PostgresError)?.sqlState == "53400" else { return }
      refused.withLock { $0 += 1 }
    }
    let runner = JobRunner(ChoreJob(), in: context)
    for _ in 1...8 { #expect(await turn(runner) == nil) }
    #expect(try await chores.undone == [1])
    #expect(refused.withLock { $0 } > 0)
    #expect(try await chores.failures.isEmpty)
    try await chores.session.script("DROP TRIGGER large ON chore")
    try await turn(runner, untilUndone: [], of: chores)
  }

  @Test func `an item that ends every session holds up no other`() async throws {
    let chores = try await Chores(12)
    try await chores.session.script(
      """
      CREATE FUNCTION fatal() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$;
      CREATE TRIGGER fatal BEFORE UPDATE ON chore FOR EACH ROW WHEN (NEW.id = 1) EXECUTE FUNCTION fatal();
      """)
    let runner = JobRunner(ChoreJob(), in: chores.context())
    #expect(await turn(runner) == .connection)
    try await turn(runner, untilUndone: [1], of: chores)
    #expect(try await chores.failures.isEmpty)
  }

  @Test func `a leased item whose preparation times out holds up no other, and is not blamed`() async throws {
    let server = try await ForeignServer { _, _ in .answer }
    let errands = try await Errands(6)
    var job = ErrandJob(port: server.port)
    job.condition = "(id <> 1 OR pg_sleep(60) IS NULL)"
    var options = errands.database.options(.daemon)
    options.settings["search_path"] = "public"
    options.statementTimeout = .milliseconds(200)
    let pool = Pool(options: options, size: 8, waitTimeout: .seconds(20), maximumWaiters: 100)
    let runner = LeasedRunner(job, in: errands.database.context(pool))
    for _ in 1...8 {
      _ = await runner.runDue(until: StopFlag(), due: .zero)
      await runner.finish()
    }
    let undone = try await errands.session.query("SELECT id FROM errand WHERE NOT done").decode(Int64.self)
    #expect(undone == [1])
    #expect(try await errands.isClean)
    await pool.close()
  }
}
