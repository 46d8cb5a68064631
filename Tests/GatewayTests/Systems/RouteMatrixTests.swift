import TestSupport
import Testing

@testable import Gateway

@Suite("All routes and all callers", .timeLimit(.minutes(5))) struct RouteMatrixTests {
  @Test func `each route answers each caller as the gateway's table lists, under each prefix`() async throws {
    try await SystemWorld.run { configuration in
      configuration.sendmail = "/bin/true"
      configuration.limits.writesPerSecond = 100_000
      configuration.limits.writesBurst = 100_000
      configuration.limits.flagsPerMinute = 100_000
      configuration.limits.attemptsPerMinute = 100_000
    } _: { world in
      let served = Set(world.routes.map(Self.name))
      #expect(served == Set(MatrixCases.all.keys), "each route has one case, and each case a route")
      let matrix = try await MatrixWorld(world)
      let cases = world.routes.compactMap { route in MatrixCases.all[Self.name(route)].map { (route, $0) } }
      for (route, asked) in cases.filter({ !$0.1.isLast }) + cases.filter(\.1.isLast) {
        for prefix in route.prefixes {
          try await withThrowingTaskGroup { group in
            for caller in MatrixCaller.allCases {
              group.addTask { try await Self.check(route, prefix, asked, caller, matrix) }
            }
            try await group.waitForAll()
          }
          if route.path == "auth/logout" { try await matrix.restoreSessions() }
        }
      }
    }
  }

  static func name(_ route: Route) -> String {
    "\(route.system.rawValue) \(route.method.rawValue) \(route.path)"
  }

  private static func check(
    _ route: Route, _ prefix: String, _ asked: MatrixCase, _ caller: MatrixCaller, _ matrix: MatrixWorld
  ) async throws {
    let line = line(route, prefix, asked, matrix)
    let hasEnded = caller == .loggedOut || caller == .disabled
    let body = (hasEnded ? asked.wholeBody ?? asked.body : asked.body).map { fill($0, caller, matrix) }
    // One key for all prefixes: what writes is done once, and answered alike.
    let headers = route.repetition == .plain ? [] : ["Idempotency-Key: \(caller)"]
    let reply = try await matrix.world.patientCall(
      line, token: matrix.token(of: caller), body: body, headers: headers)
    let problem = "\(line) of \(caller.rawValue): \(reply)"
    switch asked.outcome(for: caller) {
    case .done(let status):
      #expect(reply.status == status, "\(problem)")
      #expect(reply.body.isEmpty == (route.answerSchema == nil), "\(problem)")
    case .refused(let status, let rule):
      if route.system == .gread {
        let (status, code) = wordPress(status, rule)
        #expect(reply.status == status && reply.has(#"{"code":"\#(code)","#), "\(problem)")
      } else {
        #expect(reply.status == status && reply.has(#""rule":"\#(rule)""#), "\(problem)")
      }
    }
    #expect((reply["WWW-Authenticate"] == "Bearer") == (reply.status == 401), "\(problem)")
    #expect((reply["ETag"] != nil) == (caller == .nobody && route.method == .get && reply.status == 200), "\(problem)")
    #expect(reply["Cache-Control"] == (reply["ETag"] == nil ? "no-store" : "no-cache"), "\(problem)")
  }

  private static func line(_ route: Route, _ prefix: String, _ asked: MatrixCase, _ matrix: MatrixWorld) -> String {
    let path = route.path.split(separator: "/").map { segment in
      guard segment.hasPrefix(":") else { return String(segment) }
      return matrix.things[asked.values[String(segment.dropFirst())] ?? ""] ?? "nothing"
    }
    let query = asked.query.isEmpty ? "" : "?\(asked.query)"
    return "\(route.method.rawValue) \(prefix)/\(path.joined(separator: "/"))\(query)"
  }

  private static func fill(_ body: String, _ caller: MatrixCaller, _ matrix: MatrixWorld) -> String {
    let number = MatrixCaller.allCases.firstIndex(of: caller) ?? 0
    return matrix.things.reduce(body.replacing("{caller}", with: "\(number)")) { text, thing in
      text.replacing("{\(thing.key)}", with: thing.value)
    }
  }

  /// A bad token is 403 there, and a refused caller gets no other details.
  private static func wordPress(_ status: Int, _ rule: String) -> (Int, String) {
    switch (status, rule) {
    case (401, "token"): (403, "jwt_auth_invalid_token")
    case (401, _), (403, _): (status, "rest_forbidden")
    default: (status, "rest_invalid_param")
    }
  }
}
