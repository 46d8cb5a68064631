import ControlAPI
import Postgres
import TestSupport
import TextCoding
import Testing

@testable import Operations

@Suite("Pages of the audit") struct AuditPageTests {
  private let database: SettledDatabase
  private let session: Connection

  init() async throws {
    database = try await SettledDatabase.real()
    session = try await database.connect()
  }

  /// Every third entry is of user 8, every fifth is a `set`.
  private func fill(_ count: Int) async throws {
    try await session.script(
      """
      INSERT INTO settled.audit (node, uid, gid, pid, command, target, before, after, request_id)
      SELECT 'one', CASE WHEN g % 3 = 0 THEN 8 ELSE 7 END, 1, 2, CASE WHEN g % 5 = 0 THEN 'set' ELSE 'drain' END,
        CASE WHEN g % 5 = 0 THEN 'racing.flag_threshold' ELSE 'drain' END, 'null', '{"a": 1}',
        CASE WHEN g % 2 = 0 THEN 'dashboard:' || g END
      FROM generate_series(1, \(count)) AS g;
      """)
    try await session.execute("VACUUM ANALYZE settled.audit")
  }

  private func ask(_ name: String, _ values: [String: ParameterValue] = [:]) async throws -> [JSONValue] {
    let handlers = AuditHandlers { uids in uids.contains(7) ? [7: "ann"] : [:] }
    let command = try #require(handlers.commands.first { $0.name == name })
    let call = CommandCall(caller: AuthorizedPeer(uid: 7, gid: 7, pid: 7, level: .read), requestId: nil, values: values)
    let dispatcher = CommandDispatcher([command], pool: database.pool(size: 1), node: "one")
    return try JSONValue(try await dispatcher.run(command, call)).elements
  }

  @Test func `pages of the audit follow each other by cursor, within any filter`() async throws {
    try await fill(30)
    for filter in [[:], ["uid": .integer(8)], ["command": .text("set"), "target": .text("racing.flag_threshold")]]
      as [[String: ParameterValue]]
    {
      let all = try await ask("audit.log", filter).compactMap { $0["id"]?.integer }
      #expect(all == all.sorted(by: >) && !all.isEmpty)
      var (seen, values) = ([Int64](), filter.merging(["limit": .integer(4)]) { $1 })
      while true {
        let page = try await ask("audit.log", values)
        guard let last = page.last else { break }
        seen += page.compactMap { $0["id"]?.integer }
        values["after"] = last["cursor"]?.text.map { .text($0) }
      }
      #expect(seen == all)
    }
    #expect(try await ask("audit.log", ["uid": .integer(8)]).count == 10)
    #expect(try await ask("audit.log", ["command": .text("set")]).count == 6)
    #expect(try await ask("audit.log", ["target": .text("nothing")]).isEmpty)
    for cursor in ["", "0", "x", "1.2"] {
      let refused = await #expect(throws: CommandError.self) { try await ask("audit.log", ["after": .text(cursor)]) }
      #expect(refused?.rule == "after", "\(cursor)")
    }
  }

  @Test func `an entry names its user, and the program that names itself`() async throws {
    try await fill(3)
    let rows = try await ask("audit.log")
    #expect(rows.map { $0["user"] } == [.null, "ann", "ann"])
    #expect(rows.map { $0["client"] } == [.null, "dashboard", .null])
    #expect(rows[1]["after"]?["a"] == 1 && rows[1]["before"] == .null)
    for (id, client) in [("a:1", "a"), ("web-2:x:y", "web-2"), (":1", nil), ("A:1", nil), ("1a:1", nil), ("abc", nil)] {
      #expect(AuditReading.Entry.client(id) == client, "\(id)")
    }
    #expect(AuditReading.Entry.client(String(repeating: "a", count: 32) + ":1") == nil)
  }

  @Test func `a setting has its last change, and none where nobody changed it`() async throws {
    try await fill(30)
    let settings = try await ask("settings")
    let changed = settings.filter { $0["changedAt"] != .null }
    #expect(changed.map { $0["key"]?.text } == ["racing.flag_threshold"])
    #expect(changed.first?["changedBy"] == "uid 8")
    #expect(settings.count > 10 && settings.allSatisfy { ($0["changedAt"] == .null) == ($0["changedBy"] == .null) })
  }

  @Test func `a page of the audit costs the same among a hundred times as many entries`() async throws {
    var touched: [[Int]] = []
    for count in [300, 29_700] {
      try await fill(count)
      let middle = try await session.query("SELECT max(id) / 2 FROM settled.audit").one(Int64.self)
      touched.append([
        try await session.pagesTouched(AuditReading.page(.init(after: middle), limit: 50)),
        try await session.pagesTouched(AuditReading.page(.init(uid: 8, command: "set"), limit: 5)),
        try await session.pagesTouched(SettingStatements.all),
      ])
    }
    for (few, many) in zip(touched[0], touched[1]) { #expect(many < few + 40, "\(touched)") }
  }
}
