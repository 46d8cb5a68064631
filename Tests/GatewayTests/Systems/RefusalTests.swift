import Foundation
import HTTPServing
import Postgres
import TestSupport
import Testing

@testable import Gateway

@Suite("The refusals that the description lists", .timeLimit(.minutes(2))) struct RefusalTests {
  @Test func `each rule that a route lists is raised by its function, or by one that this calls`() async throws {
    try await SystemWorld.run { world in
      let functions = try await Self.functions(world.owner)
      for route in world.routes {
        guard case .call(let action) = route.action else { continue }
        let sql = try action(Self.call(route)).sql
        var raised: Set<String> = []
        var met: Set<String> = []
        var open = Self.called(in: sql)
        while let name = open.popLast() {
          guard met.insert(name).inserted, let source = functions[name] else { continue }
          open += Self.called(in: source)
          raised.formUnion(Self.raised(in: source))
        }
        for (status, rules) in route.refusals {
          for rule in rules where !Self.ofGateway.contains(rule) {
            #expect(
              raised.contains("\(status) \(rule)") || (status == 409 && raised.contains("409 by \(rule)")),
              "\(route.method.rawValue) \(route.path) lists \(status) \(rule)")
          }
        }
        // And the other way round: what a function of it raises is listed, but for what cannot come to be there.
        for text in raised where !text.hasPrefix("400") && !text.contains(" by ") && !text.hasPrefix("401") {
          let (status, rule) = (Int(text.prefix(3)) ?? 0, String(text.dropFirst(4)))
          let isListed = route.refusals[status]?.contains(rule) == true || Self.byAccess(route, rule)
          #expect(
            isListed || Self.never.contains("\(route.path) \(rule)"),
            "\(route.method.rawValue) \(route.path) does not list \(text)")
        }
      }
    }
  }

  /// Of the gateway's own code.
  private static let ofGateway: Set = ["self", "identity"]

  /// What a caller's access refuses before the function does.
  private static func byAccess(_ route: Route, _ rule: String) -> Bool {
    if case .identity = route.access { return rule == "identity" }
    return false
  }

  /// Rules that stand in a function that is called, and that the route cannot meet.
  private static let never: Set = [
    // The connection is looked at before it is asked for.
    "users/:id connection", "users/:id/strava connection",
    // The entry was made just before.
    "races/:id/enter entry",
    // The caller's own profile is made where there is none.
    "auth/me profile",
    // The viewer is looked up first.
    "achievements user", "achievements/:id user", "achievements/slug/:slug user",
  ]

  /// The source of each function of the product, by its name with its schema.
  private static func functions(_ owner: Connection) async throws -> [String: String] {
    let rows = try await owner.query(
      """
      SELECT n.nspname || '.' || p.proname, string_agg(p.prosrc, ' ') FROM pg_proc AS p
      JOIN pg_namespace AS n ON n.oid = p.pronamespace
      WHERE n.nspname IN (
        'settled', 'strava', 'racing', 'checkins', 'seasons', 'achievements', 'accounts', 'gateway')
      GROUP BY 1
      """
    ).decode(String.self, String.self)
    return Dictionary(uniqueKeysWithValues: rows.map { ($0.0, $0.1.replacing(/--[^\n]*/, with: "")) })
  }

  private static func called(in source: String) -> [String] {
    source.matches(of: /\b([a-z]+\.[a-z_0-9]+)\s*\(/).map { String($0.1) }
  }

  /// `404 race`; a rule that another function chooses is `409 by decided`.
  private static func raised(in source: String) -> [String] {
    source.matches(of: /settled\.fail\(\s*'SD(\d{3})',\s*'([a-z0-9-]+)'/).map { "\($0.1) \($0.2)" }
      + source.matches(of: /'rule', '([a-z-]+)'/).map { "409 by \($0.1)" }
  }

  /// A call of the route, by somebody who may do all.
  private static func call(_ route: Route) -> Call {
    Call(
      caller: Caller(
        account: 1, epoch: 1, athlete: 1, username: "a", runner: 1, reader: 1, checkin: "a", roles: Set(Role.allCases)),
      token: "t", prefix: route.prefixes[0], values: ["id": "1", "runnerId": "1", "uuid": "u", "slug": "s"], query: [:],
      body: "{}", idempotencyKey: "k", page: route.paging.map { _ in Page(limit: 1, cursor: nil) }, address: nil)
  }
}
