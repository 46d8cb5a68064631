package import ArgumentParser
package import Postgres

/// The options of `settled-gateway token`: a token without an account, for curl, tests and back ends.
///
/// Such a token cannot be revoked before it expires, so it lasts at most 24 hours.
/// Source: Gateway.docc/Callers.md, "Gateway tokens".
package struct TokenOptions: ParsableArguments {
  package static let lifetimeMax = Duration.seconds(24 * 3600)

  @Option(help: "The athlete's id.")
  package var athlete: Int64?

  @Option(help: "The team member's username.")
  package var username: String?

  @Option(help: "The runner's id.")
  package var runner: Int64?

  @Option(help: "The reader's id.")
  package var reader: Int64?

  @Option(help: "The user id of the check-in profile.")
  package var checkin: String?

  @Option(
    name: .customLong("role"),
    help: "A role: \(Role.allCases.map(\.rawValue).joined(separator: " or ")). May be repeated.")
  package var roles: [Role] = []

  @Option(
    help: "The token's lifetime, such as 90s, 15m or 24h; at most 24 hours (default: 1h).",
    transform: Self.lifetime)
  package var ttl = Duration.seconds(3600)

  package init() {}

  package mutating func validate() throws {
    guard caller != Caller() else {
      throw ValidationError(
        "a token needs an identity or a role: --athlete, --username, --runner, --reader, --checkin or --role")
    }
    for (name, id) in [("athlete", athlete), ("runner", runner), ("reader", reader)] where id ?? 1 <= 0 {
      throw ValidationError("--\(name) must be a positive number")
    }
    for (name, text) in [("username", username), ("checkin", checkin)] where !(text.map(ClaimRules.isName) ?? true) {
      throw ValidationError("--\(name) must have 1 to \(ClaimRules.nameCharactersMax) printable characters")
    }
  }

  package var caller: Caller {
    Caller(
      athlete: athlete, username: username, runner: runner, reader: reader, checkin: checkin, roles: Set(roles))
  }

  /// The token, and the line for the log: whom it is for and how long it lasts, nothing of the token.
  package func token(_ issuer: TokenIssuer, at now: Timestamp) async throws -> (token: String, logLine: String) {
    let roles = caller.roles.sorted().map(\.rawValue)
    let named = roles.isEmpty ? "" : " with \(roles.count == 1 ? "role" : "roles") \(roles.joined(separator: ", "))"
    let token = try await issuer.token(for: caller, lasting: ttl, at: now)
    return (token, "signed a token for \(caller.subject)\(named), valid for \(ttl.components.seconds) s")
  }

  private static func lifetime(_ text: String) throws -> Duration {
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600]
    guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()), count > 0 else {
      throw ValidationError("must be a number above 0 followed by s, m or h")
    }
    let (seconds, isTooLarge) = count.multipliedReportingOverflow(by: unit)
    guard !isTooLarge, .seconds(seconds) <= Self.lifetimeMax else { throw ValidationError("must be at most 24h") }
    return .seconds(seconds)
  }
}

extension Role: ExpressibleByArgument {}
