import Postgres
import TestSupport
import Testing

@Suite("A contract function") struct BadInputTests {
  @Test func `a contract function answers or refuses each value of each argument as the table lists`() async throws {
    let course = try await ContractWorld.make()
    let app = try await course.database.connect(.app)
    var cases = 0
    for (name, arguments) in ContractFunctions.all {
      let session = ContractWorld.owners.contains(name) ? course.session : app
      let good = arguments.map(\.good)
      #expect(try await session.tried(ContractWorld.call(name, arguments, good)) == "ok", "\(name)")
      for (place, argument) in arguments.enumerated() {
        for value in argument.values {
          var values = good
          values[place] = value.sql
          let ended = try await session.tried(ContractWorld.call(name, arguments, values))
          #expect(ended == value.outcome, "\(name) with \(argument.name) => \(value.sql)")
          cases += 1
        }
      }
    }
    #expect(cases > 300)
  }

  @Test func `a contract function that gets only nonsense refuses it in class SD4`() async throws {
    let course = try await ContractWorld.make()
    let app = try await course.database.connect(.app)
    var random = SeededGenerator()
    for (name, arguments) in ContractFunctions.all where !arguments.isEmpty {
      let session = ContractWorld.owners.contains(name) ? course.session : app
      for _ in 0..<15 {
        let values = arguments.map { ($0.values.randomElement(using: &random)?.sql ?? $0.good) }
        let ended = try await session.tried(ContractWorld.call(name, arguments, values))
        #expect(
          ended == "ok" || ["SD400", "SD402", "SD403", "SD404", "SD409"].contains(ended.prefix(5)),
          "\(random) \(ContractWorld.call(name, arguments, values).prefix(300)): \(ended)")
      }
    }
  }

  /// A function without cases, or with an argument that has none, fails here.
  @Test func `a contract function has its arguments in the table, by their names`() async throws {
    let session = try await SettledDatabase.simulated().connect()
    let existing = try await session.query(
      """
      SELECT format('%s(%s)', n.nspname || '.' || p.proname,
        array_to_string((coalesce(p.proargnames, '{}')::text[])[:p.pronargs], ', '))
      FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
      WHERE n.nspname !~ '^(pg_|information_schema$)'
        AND (has_function_privilege('settled_app', p.oid, 'EXECUTE') OR n.nspname || '.' || p.proname = ANY (\(ContractWorld.owners)))
      """
    ).decode(String.self)
    let listed = ContractFunctions.all.map { "\($0.name)(\($0.arguments.map(\.name).joined(separator: ", ")))" }
    #expect(existing.sorted() == listed.sorted())
  }

  /// (Those of accounts and gateway: `GatewayFunctionTests`. `begin_occurrence`, `end_occurrence`, `keep_access`,
  /// `take_listing`, `take_activity`, `take_streams`, `end_read`, `prune_claims`, `forget_claims`, `skip_numbers`,
  /// `set_home`, `doubt_home` and the functions of partitions are called by the daemon's own runs. Operators' commands
  /// call `fork`, `correct_athlete`, those of the subscription to webhooks and the functions that erase.)
  @Test func `a contract function that writes needs READ COMMITTED and a transaction that may write`() async throws {
    let course = try await ContractWorld.make()
    let writers = try await course.session.value(
      """
      SELECT array_agg(n.nspname || '.' || p.proname) FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
      WHERE n.oid IN \(Catalogue.schemas) AND p.provolatile = 'v' AND p.prosecdef
        AND p.pronamespace NOT IN ('accounts'::regnamespace, 'gateway'::regnamespace)
        AND p.prorettype <> 'trigger'::regtype AND p.proname NOT IN ('clock', 'begin_occurrence', 'end_occurrence',
          'plant_occurrences', 'prune_occurrences', 'close_events', 'prune_events',
          'plant_partition', 'prune_partition', 'keep_access', 'skip_numbers', 'take_listing', 'take_activity',
          'take_streams', 'end_read', 'prune_claims', 'forget_claims',
          'set_home', 'doubt_home', 'fork', 'begin_subscription', 'confirm_subscription', 'end_subscription',
          'prune_hints',
          'correct_athlete')
        AND p.proname NOT LIKE 'erase\\_%'
      """, as: [String].self)
    #expect(writers.count >= 9)
    for (name, arguments) in ContractFunctions.all where writers.contains(name) {
      let call = ContractWorld.call(name, arguments, arguments.map(\.good))
      for (isolation, readOnly) in [(Isolation.repeatableRead, false), (.serializable, false), (.readCommitted, true)] {
        let ended = try await outcome {
          try await course.session.transaction(isolation, readOnly: readOnly, commit: false) { try await $0.run(call) }
        }
        #expect(ended == "SD400 isolation", "\(name) \(isolation)")
      }
    }
    #expect(Set(writers).isSubset(of: ContractFunctions.all.map(\.name)))
  }

  /// A function that only reads runs where nothing can be written: in a read-only transaction of any isolation.
  @Test func `a contract function that reads runs in a read-only transaction`() async throws {
    let course = try await ContractWorld.make()
    let readers = try await course.session.value(
      """
      SELECT array_agg(n.nspname || '.' || p.proname) FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
      WHERE n.oid IN \(Catalogue.schemas) AND (p.provolatile <> 'v' OR p.proname = 'clock') AND p.prosecdef
      """, as: [String].self)
    let functions = ContractFunctions.all.filter { readers.contains($0.name) }
    #expect(functions.count >= 11)
    for (name, arguments) in functions {
      let ended = try await outcome {
        try await course.session.transaction(.serializable, readOnly: true) {
          try await $0.run(ContractWorld.call(name, arguments, arguments.map(\.good)))
        }
      }
      #expect(ended == "ok", "\(name)")
    }
  }
}
