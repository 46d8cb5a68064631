import Postgres
import TestSupport
import Testing

/// The comments of the database describe what apps call and what `settled_reader` reads; a page of each system shows
/// them.
@Suite("The SQL reference") struct SQLReferenceTests {
  /// Whether an argument needs no line because its name is that of the thing that the function is about.
  private static func isPlain(_ name: String) -> Bool {
    name.wholeMatch(of: /(?:\w+_)?(?:id|uuid)|username/) != nil
  }

  private static func references() async throws -> [SQLReference] {
    let session = try await SettledDatabase.simulated().connect()
    var references: [SQLReference] = []
    for system in ReferenceSystem.all { references.append(try await SQLReference(system.schema, session)) }
    return references
  }

  private static func functions() async throws -> [SQLReference.Function] {
    try await references().flatMap(\.functions)
  }

  @Test func `every function that an app may call has a comment with all parts and an example of a call`()
    async throws
  {
    let functions = try await Self.functions()
    let callable = ContractFunctions.all.map(\.name).filter { !ContractWorld.owners.contains($0) }
    #expect(functions.map(\.name).sorted() == callable.sorted())
    for function in functions {
      let comment = function.comment
      #expect(comment.problems == [], "\(function.name)")
      #expect(comment.example.contains("\(function.name)("), "\(function.name)")
      let described = comment.arguments.map(\.name)
      #expect(Set(described).isSubset(of: function.argumentNames), "\(function.name)")
      let silent = function.argumentNames.filter { !described.contains($0) && !Self.isPlain($0) }
      #expect(silent == [], "\(function.name)")
    }
  }

  /// The bad inputs are the calls of `BadInputTests`.
  @Test func `a comment has every refusal that a bad input ends with, and no rule that no function has`() async throws {
    let functions = try await Self.functions()
    let code = try Checkout.paths("sql/functions", ["sql"]).map(Checkout.text).joined()
    let literals = Set(code.matches(of: /'([A-Za-z_-]+)'/).map { Self.rule(of: $0.1) })
    for function in functions {
      let bad = ContractFunctions.all.filter { $0.name == function.name }.flatMap(\.arguments).flatMap(\.values)
      let missing = Set(bad.map(\.outcome).filter { $0 != "ok" }).subtracting(function.comment.outcomes)
      #expect(missing == [], "\(function.name)")
      let rules = function.comment.refusals.flatMap(\.rules).map(\.name)
      #expect(Set(rules).subtracting(literals) == [], "\(function.name)")
    }
  }

  @Test(arguments: ReferenceSystem.all) func `each example runs as an app after the calls of its page`(
    system: ReferenceSystem
  ) async throws {
    let database = try await SettledDatabase.simulated()
    try await database.setClock("2031-06-02T09:00:00Z")
    let functions = try await SQLReference(system.schema, try await database.connect()).functions
    #expect(!functions.isEmpty)
    try await database.connect(.app).transaction(commit: false) { app in
      for statement in system.world { try await app.run(statement) }
      for function in functions {
        try await app.run("SAVEPOINT before_example")
        do {
          try await app.run(function.comment.example)
        } catch let error as PostgresError {
          Issue.record("\(function.name): \(error.debugDescription)")
        }
        try await app.run("ROLLBACK TO SAVEPOINT before_example")
      }
    }
  }

  @Test(arguments: ReferenceSystem.all) func `the page of a system has the comments of the database`(
    system: ReferenceSystem
  ) async throws {
    let session = try await SettledDatabase.simulated().connect()
    let page = ReferencePage(system: system, reference: try await SQLReference(system.schema, session))
    let difference = try Checkout.firstDifference(of: system.page, from: page.text)
    #expect(difference == nil, "SETTLED_WRITE=1 deploy/test --filter SQLReferenceTests writes \(system.page)")
  }

  @Test func `every table and column that settled_reader sees has a comment`() async throws {
    let relations = try await Self.references().flatMap(\.relations)
    #expect(relations.count > 90)
    #expect(relations.filter { $0.comment.isEmpty }.map(\.name) == [])
    for relation in relations {
      #expect(relation.columns.filter { $0.comment.isEmpty }.map(\.name) == [], "\(relation.name)")
    }
  }

  @Test func `the message about a key that is missing or has another type names the key`() async throws {
    let functions = try await Self.functions()
    let course = try await ContractWorld.make()
    let app = try await course.database.connect(.app)
    var named = 0
    for (name, arguments) in ContractFunctions.all {
      let described = functions.filter { $0.name == name }.flatMap(\.comment.arguments)
      for (place, argument) in arguments.enumerated() {
        for key in described.filter({ $0.name == argument.name }).flatMap(\.keys) where key.meaning != "ignored." {
          for change in ["|| '{\"\(key.name)\": [[]]}'", "- '\(key.name)'"] {
            var values = arguments.map(\.good)
            values[place] = "(\(argument.good))::jsonb \(change)"
            let message = try await Self.message(app, ContractWorld.call(name, arguments, values))
            let isOptional = change.hasPrefix("-") && message == nil
            #expect(isOptional || message?.contains(key.name) == true, "\(name) \(change): \(message ?? "ok")")
            if message != nil { named += 1 }
          }
        }
      }
    }
    #expect(named > 60)
    let text = "SELECT racing.import_activity(1, '\(Outing.json)'::jsonb - 'activityType')"
    #expect(try await Self.message(app, text) == "activityType must be a string")
  }

  /// The message of a refusal; nil where the call succeeds.
  private static func message(_ app: Connection, _ call: String) async throws -> String? {
    do {
      try await app.transaction(commit: false) { try await $0.run(call) }
      return nil
    } catch let error as PostgresError where error.sqlState?.hasPrefix("SD4") == true {
      return error.message
    }
  }

  private static func rule(of key: Substring) -> String {
    key.replacing("_", with: "-").replacing(/[A-Z]/) { "-\($0.0)" }.lowercased()
  }
}
