import Postgres
import TestSupport
import Testing

@Suite("A function of the gateway and of accounts") struct GatewayFunctionTests {
  private struct Function {
    let name: String
    let types: [String]
    let isWriter: Bool
    let isDaemons: Bool
  }

  private static func functions(_ session: Connection) async throws -> [Function] {
    try await session.query(
      """
      SELECT format('%I.%I', n.nspname, p.proname), ARRAY(SELECT t::regtype::text FROM unnest(p.proargtypes)
          WITH ORDINALITY AS a (t, place) ORDER BY place), p.provolatile = 'v', has_function_privilege('settled_daemon', p.oid, 'EXECUTE')
      FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
      WHERE n.nspname IN ('accounts', 'gateway') AND p.prosecdef ORDER BY 1
      """
    ).decode(String.self, [String].self, Bool.self, Bool.self).map(Function.init)
  }

  /// The values that an argument of a type may be handed, with any meaning.
  private static let values: [String: [String]] = [
    "bigint": ["null", "0", "1", "2", "-1", "9223372036854775807", "-9223372036854775808"],
    "integer": ["null", "0", "1", "50", "-1", "501", "2147483647"],
    "text": [
      "null", "''", "'x'", "' '", "'ann@example.org'", "'1'", "'payments'", "'racer'", "'xc'", "'2024'", "'%s {} $1'",
      #"E'\n'"#,
      "repeat('x', 40)", "repeat('é', 10000)", "repeat('x', 1000001)", "repeat('9', 300)",
    ],
    "text[]": [
      "null", "'{}'", "'{username}'", "'{NULL}'", "'{{athlete}}'", "'{x}'", "array_fill('runner'::text, ARRAY[9999])",
    ],
    "boolean": ["null", "true", "false"],
    "bytea": ["null", "''", "sha256('x')", "repeat('x', 1000001)::bytea"],
    "jsonb": [
      "null", "'null'", "'{}'", "'[]'", "'5'", "'1e400'", #"'"x"'"#, #"'{"nope": 1}'"#, #"'{"amount": 1}'"#,
      #"'{"amount": 1e-400}'"#, #"'{"reason": "other"}'"#, #"'{"code": "c", "scope": "s"}'"#, #"'{"displayName": []}'"#,
      #"'{"dateOfBirth": "1990-13-41T99:99:99Z"}'"#, #"'{"status": "ended", "type": "top_speed"}'"#,
      #"'{"activityId": "1", "decision": "requireMoreInfo"}'"#, #"'{"stravaId": "7", "userId": {}}'"#,
      #"'{"runnerId": 1, "activityType": "WORKOUT", "year": {}}'"#,
      #"'{"season": "xc", "year": 2024, "displayOrder": 1e400}'"#,
      #"'{"teamTalkUuid": "x", "displayName": "X"}'"#, #"'{"timezone": ["UTC"]}'"#,
      #"'{"timezone": "UTC", "metrics": {}}'"#,
      "'\(Outing.json)'", "jsonb_build_object('displayName', repeat('x', 1000001))",
      "jsonb_build_object(repeat('k', 1000001), 1)",
    ],
  ]

  private static func call(_ function: Function, _ random: inout SeededGenerator) throws -> String {
    let arguments = try function.types.map { type in
      let value = try #require(Self.values[type]?.randomElement(using: &random), "values of \(type)")
      return "(\(value))::\(type)"
    }
    return "SELECT \(function.name)(\(arguments.joined(separator: ", ")))"
  }

  private static func world() async throws -> (course: Course, gateway: Connection, daemon: Connection) {
    let course = try await ContractWorld.make()
    try await course.session.run(
      "SELECT gateway.register('ann@example.org', 'Ann', 'racer', repeat('h', 40)), accounts.link('1', username => 'ann')"
    )
    return (course, try await course.database.connect(.gateway), try await course.database.connect(.daemon))
  }

  @Test func `a function of the gateway answers or refuses in class SD4, for every argument`() async throws {
    let (course, gateway, daemon) = try await Self.world()
    let functions = try await Self.functions(course.session)
    #expect(functions.count >= 40)
    let classes: Set = ["SD400", "SD401", "SD402", "SD403", "SD404", "SD409", "SD429"]
    var random = SeededGenerator()
    for function in functions {
      for _ in 0..<40 {
        let call = try Self.call(function, &random)
        let ended = try await (function.isDaemons ? daemon : gateway).tried(call)
        #expect(ended == "ok" || classes.contains(String(ended.prefix(5))), "\(random) \(call.prefix(300)): \(ended)")
      }
    }
  }

  @Test func `a gateway function that writes needs READ COMMITTED; one that reads runs in any transaction`()
    async throws
  {
    let (course, gateway, daemon) = try await Self.world()
    var random = SeededGenerator()
    for function in try await Self.functions(course.session) {
      let session = function.isDaemons ? daemon : gateway
      for (isolation, readOnly) in [(Isolation.repeatableRead, false), (.serializable, true), (.readCommitted, true)] {
        let call = try Self.call(function, &random)
        let ended = try await outcome {
          try await session.transaction(isolation, readOnly: readOnly, commit: false) { try await $0.run(call) }
        }
        if function.isWriter {
          #expect(ended == "SD400 isolation", "\(random) \(call.prefix(300))")
        } else {
          #expect(ended == "ok" || ended.hasPrefix("SD4"), "\(random) \(call.prefix(300)): \(ended)")
          #expect(ended != "SD400 isolation", "\(call.prefix(300))")
        }
      }
    }
  }
}
