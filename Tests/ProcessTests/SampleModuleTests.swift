import Postgres
import Sample
import TestSupport
import Testing

/// One module more costs its own folder and one line of composition: see Tests/Sample,
/// Tests/SampleDaemon, Tests/SampleTool.
@Suite("A module that was added") struct SampleModuleTests {
  private struct World {
    let database: SettledDatabase
    let owner: Connection
    let daemon: SettledProcess
    let server: ForeignServer

    func settlectl(_ arguments: String...) async throws -> Finished {
      try await daemon.settlectl(arguments, program: SettledProcess.built("SampleTool"))
    }
  }

  private func world(_ act: @escaping @Sendable (String, Int) -> ForeignServer.Act) async throws -> World {
    let database = try await SettledDatabase.simulated()
    try await database.setClock("2031-03-29T12:00:00Z")
    let owner = try await database.connect()
    try await owner.script(SampleSchema.script)
    let server = try await ForeignServer(act)
    let daemon = try SettledProcess.daemon(
      database, node: "sample", SettledProcess.adminsAreOurs, program: SettledProcess.built("SampleDaemon"))
    try await daemon.log("ready")
    let world = World(database: database, owner: owner, daemon: daemon, server: server)
    let set = try await world.settlectl("set", "sample.port", "\(server.port)")
    #expect(set.exit == .code(0), "\(set.errors)")
    return world
  }

  @Test func `an added module works through daemon and settlectl, with job, command, setting and check`()
    async throws
  {
    let world = try await world { key, request in key == "2" && request <= 3 ? .refuse : .answer }
    try await world.owner.execute(
      "INSERT INTO sample.parcel (id, due_at) SELECT n, settled.clock() - interval '1 min' FROM generate_series(1, 3) AS n"
    )
    let isPosted: Statement = "SELECT count(receipt) = 3 FROM sample.parcel"
    try await untilTrue("the post") { try await world.owner.query(isPosted).one(Bool.self) }
    #expect(world.server.done("1") == 1 && world.server.done("2") == 1 && world.server.done("3") == 1)

    let shown = try await world.settlectl("parcel", "show", "2")
    #expect(shown.output == "parcel 2 is posted with receipt 1\n", "\(shown.errors)")
    let missing = try await world.settlectl("parcel", "show", "9")
    #expect(missing.exit == .code(1) && missing.errors.contains("(rule parcel)"))
    #expect(try await world.settlectl("parcel", "--help").output.contains("[read]"))
    try await untilTrue("the count") {
      try await world.settlectl("jobs").output.contains("3 of 3 items done")
    }
    #expect(try await world.settlectl("jobs").output.contains("parcel-posting"))
    #expect(try await world.settlectl("settings").output.contains("sample.retention"))
    #expect(try await world.settlectl("doctor").output.contains("every parcel is posted"))
    // A pause holds it, and the check says so.
    #expect(try await world.settlectl("job", "pause", "parcel-packing").exit == .code(0))
    try await world.owner.execute("INSERT INTO sample.parcel VALUES (7, settled.clock())")
    try await untilTrue("the paused job's item") {
      try await world.settlectl("jobs", "--json").output.contains(#""overdue": 1"#)
    }
    #expect(try await world.settlectl("doctor").output.contains("1 not posted"))
    #expect(try await world.settlectl("job", "resume", "parcel-packing").exit == .code(0))
    try await untilTrue("its post") {
      try await world.settlectl("parcel", "show", "7").output.contains("posted")
    }
  }

  @Test func `an added module has a function for apps, events, a built-in schedule and an erasure`() async throws {
    let world = try await world { _, _ in .answer }
    let app = try await world.database.connect(.app)
    for number in [1, 2] as [Int64] { _ = try await app.query("SELECT sample.send_parcel(\(number), 'Ann')") }
    await #expect(throws: PostgresError.self) { try await app.query("SELECT sample.send_parcel(1, 'Bob')") }
    await #expect(throws: PostgresError.self) { try await app.query("SELECT * FROM sample.parcel") }
    let events: Statement = """
      SELECT string_agg(e.topic || ' ' || e.key, ', ' ORDER BY e.key) IS NOT DISTINCT FROM
        'parcel.packed 1, parcel.packed 2' FROM settled.events() AS e WHERE e.topic = 'parcel.packed'
      """
    try await untilTrue("the events") { try await app.query(events).one(Bool.self) }
    await app.close()

    #expect(try await world.settlectl("jobs").output.contains("stock-taking"))
    #expect(try await world.settlectl("job", "run", "stock-taking").exit == .code(0))
    let isTaken: Statement = "SELECT count(*) = 1 FROM sample.stock"
    try await untilTrue("the stock") { try await world.owner.query(isTaken).one(Bool.self) }

    let erased = try await world.settlectl("person", "erase", "sender", "Ann", "--reason", "asked for it")
    #expect(erased.exit == .code(0) && erased.output.contains("parcels"), "\(erased.output)\(erased.errors)")
    #expect(try await world.owner.query("SELECT bool_and(sender = 'erased') FROM sample.parcel").one(Bool.self))
    #expect(try await world.settlectl("person", "erase", "sender", "Ann", "--reason", "again").exit == .code(1))
  }

  @Test func `an added module's partitions are made and pruned as it declares`() async throws {
    let world = try await world { _, _ in .answer }
    try await world.owner.script(
      """
      INSERT INTO sample.packing VALUES ('2030-12-05', 1), ('2031-02-20', 2), ('2031-03-29', 3);
      """)
    let partitions: Statement = """
      SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'sample.packing'::regclass ORDER BY 1
      """
    #expect(try await world.settlectl("job", "run", "history-pruning").exit == .code(0))
    let wanted = ["02", "03", "04", "05"].map { "sample.packing_2031_\($0)" } + ["sample.packing_default"]
    try await untilTrue("the partitions") { try await world.owner.query(partitions).decode(String.self) == wanted }
    let kept: [Int64] = try await world.owner.query("SELECT parcel FROM sample.packing ORDER BY 1").decode(Int64.self)
    #expect(kept == [2, 3])
  }

  @Test func `an added module loses no call of a killed daemon, whose lease another run takes over`()
    async throws
  {
    let world = try await world { _, request in request == 1 ? .hang : .answer }
    try await world.owner.execute("INSERT INTO sample.parcel VALUES (1, settled.clock() - interval '1 min')")
    try await untilTrue("the call") { world.server.requests == 1 }
    world.daemon.killHard()
    _ = try await world.daemon.exit()
    let heir = try SettledProcess.daemon(
      world.database, node: "heir", SettledProcess.adminsAreOurs, program: SettledProcess.built("SampleDaemon"))
    try await heir.log("ready")
    #expect(try await world.owner.query("SELECT count(*) FROM settled.lease").one(Int64.self) == 1)
    try await untilTrue("the receipt") {
      try await world.owner.query("SELECT receipt IS NOT DISTINCT FROM 1 FROM sample.parcel").one(Bool.self)
    }
    #expect(world.server.done("1") == 1)
    try await heir.log("the node that was working on this item stopped or hung")
    world.server.release()
  }
}
