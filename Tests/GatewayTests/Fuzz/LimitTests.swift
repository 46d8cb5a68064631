import ControlAPI
import HTTPServing
import Postgres
import TestSupport
import TextCoding
import Testing

@testable import Gateway

@Suite("The limits of the gateway's description", .timeLimit(.minutes(5))) struct LimitTests {
  @Test func `a value within the description is not refused for itself, and one just beyond it is`() async throws {
    try await Self.run { world, token, known, description in
      let cases = LimitCases(known: known.mapValues { Int64($0) == nil ? JSONText.quoted($0) : $0 })
      var met: Set<String> = []
      var asked = 0
      // The prefixes of a route have one description.
      for operation in description.operations where met.insert("\(operation.method) \(operation.summary)").inserted {
        // The bad ones first: an account that a good one makes would be in their way.
        let requests = Self.requests(operation, cases, known)
        for request in requests.filter({ !$0.changed.isGood }) + requests.filter(\.changed.isGood) {
          let reply = try await world.call(request.line, token: token, body: request.body, headers: request.headers)
          asked += 1
          let text = "\(request.line) \((request.body ?? "").prefix(300)) \(request.changed.path): \(reply)".prefix(900)
          if request.changed.isGood {
            #expect(reply.status != 400 || Self.isOther(request, reply), "\(text)")
          } else if request.changed.path.last == "activityId" && request.changed.json != nil {
            #expect(reply.status == 404, "\(text)")
          } else {
            #expect(
              reply.status == 400 && (request.changed.json == nil || Self.names(request.changed.path, reply)),
              "\(text)")
          }
        }
      }
      #expect(asked > 400)
    }
  }

  @Test func `each value of a request that has a limit or a unit has an example`() async throws {
    try await Self.run { _, _, _, description in
      for operation in description.operations {
        let bodies = operation.body.map { [("body", $0)] } ?? []
        for (name, schema) in bodies + operation.parameters.map({ ($0.name, $0.schema) }) {
          let without = Self.withoutExample(schema, name)
          #expect(without == [], "\(operation.id)")
        }
      }
    }
  }

  @Test func `the described types of activities that earn points are those of the table`() async throws {
    let settled = try await SettledDatabase.real()
    let connection = try await settled.connect()
    let names = try await connection.query(
      "SELECT string_agg(name, ' ' ORDER BY name COLLATE \"C\") FROM seasons.activity_type"
    ).one(String.self)
    #expect(names == TeamSchema.activityTypes.sorted().joined(separator: " "))
    await connection.close()
  }

  private struct Request {
    let line: String
    let body: String?
    let headers: [String]
    let changed: LimitCases.Case
  }

  /// One of each case of the body and of the parameters of an operation; all else is as the examples have it.
  private static func requests(
    _ operation: OpenAPIDocument.Operation, _ cases: LimitCases, _ known: [String: String]
  ) -> [Request] {
    let segments = operation.path.split(separator: "/")
    let path = zip([""] + segments, segments).map { before, segment in
      guard segment.hasPrefix("{") else { return "/\(segment)" }
      return "/" + (known[String(before)] ?? known[String(segment.dropFirst().dropLast())] ?? "1")
    }.joined()
    let paging: Set = ["limit", "before", "after", "offset"]
    let needed = operation.parameters.filter { $0.isRequired || ($0.place == "query" && !paging.contains($0.name)) }
    func request(_ changed: LimitCases.Case, body: String?, in place: String = "") -> Request {
      let parameters = needed.filter { $0.place != place || $0.name != changed.path[0] }.map {
        ($0.name, $0.place, cases.sample($0.schema, named: $0.name))
      }
      let all = parameters + (place.isEmpty ? [] : [(changed.path[0], place, changed.json ?? "")])
      let values = all.map { ($0.0, $0.1, (try? JSONValue($0.2).text) ?? $0.2) }
      let query = values.filter { $0.1 == "query" }.map { "\($0.0)=\(PercentCoding.encode($0.2))" }
      return Request(
        line: "\(operation.method) \(path)" + (query.isEmpty ? "" : "?" + query.joined(separator: "&")), body: body,
        headers: values.filter { $0.1 == "header" }.map { "\($0.0): \($0.2)" }, changed: changed)
    }
    var requests: [Request] = []
    for body in operation.body.map(alternatives) ?? [] {
      requests += cases.cases(body, at: []).filter { !$0.path.isEmpty }.map {
        request($0, body: cases.sample(body, $0))
      }
    }
    let whole = operation.body.map { cases.sample($0) }
    for parameter in operation.parameters where parameter.place != "path" && parameter.name != "X-Request-Id" {
      // An empty parameter of a query counts as none, and a header has ASCII without blanks around it.
      requests += cases.cases(parameter.schema, at: [parameter.name])
        .filter { parameter.place == "query" ? $0.json != #""""# : $0.json?.utf8.allSatisfy { $0 < 0x80 } == true }
        .map { request($0, body: whole, in: parameter.place) }
    }
    return requests
  }

  private static func alternatives(_ body: AnswerSchema) -> [AnswerSchema] {
    switch body {
    case .anyOf(let schemas): schemas
    case .nullable(let inner): alternatives(inner)
    default: [body]
    }
  }

  /// What no description can state: the names of time zones, the orders of other rewards, the tokens that were mailed,
  /// the present time.
  private static func isOther(_ request: Request, _ reply: Reply) -> Bool {
    reply.has("another reward in this season") || reply.has(#""rule":"token""#)
      || request.changed.path.last == "elapsedTime" && reply.has(#""rule":"start-date""#)
      || (request.changed.path.last == "timezone" && request.changed.json != #""Europe/London""#)
  }

  /// Whether the refusal is about a member on the way to the value; GRead's errors name none.
  private static func names(_ path: [String], _ reply: Reply) -> Bool {
    let others = ["timezone": "time-zone", "notes": "note"]
    let rules =
      path.map { $0.replacing(/[A-Z]/) { "-\($0.output.lowercased())" } } + path.compactMap { others[$0] } + path
    let all = rules + ["key", "body", "idempotency-key", "token"]
    return reply.has("rest_invalid_param") || all.contains { reply.has(#""rule":"\#($0)""#) }
  }

  private static func withoutExample(_ schema: AnswerSchema, _ place: String) -> [String] {
    switch schema {
    case .limited(.members(let members), _), .members(let members):
      members.flatMap { withoutExample($0.schema, "\(place).\($0.name)") }
    case .limited(_, let limits): limits.example == nil ? [place] : []
    case .nullable(let inner): withoutExample(inner, place)
    case .anyOf(let schemas): schemas.flatMap { withoutExample($0, place) }
    default: []
    }
  }

  private static func run(
    _ body: (SystemWorld, String, [String: String], OpenAPIDocument) async throws -> Void
  ) async throws {
    try await SystemWorld.run({ configuration in
      configuration.sendmail = "/bin/true"
      configuration.limits.writesPerSecond = 1_000_000
      configuration.limits.writesBurst = 1_000_000
      configuration.limits.paymentsPerSecond = 1_000_000
      configuration.limits.flagsPerMinute = 1_000_000
      configuration.limits.attemptsPerMinute = 1_000_000
    }) { world in
      let people = try await FuzzPeople(world)
      var known: [String: String] = ["username": "coach", "teamTalkUuid": people.known["uuid"]?[0] ?? ""]
      for name in ["users", "wallets", "races", "entries", "activities", "rewards", "runnerId", "userId", "activityId"]
      {
        known[name] = people.known[name]?.first
      }
      known["uuid"] = known["teamTalkUuid"]
      // The caller who may do all.
      try await body(world, people.goodTokens[4], known, try await world.description().document)
    }
  }
}
