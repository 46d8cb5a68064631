import Foundation
import TestSupport
import Testing

@Suite("The secrets of a gateway", .timeLimit(.minutes(8))) struct GatewaySecretsTests {
  @Test func `a gateway's secrets appear nowhere after registrations, log-ins, errors and resets`() async throws {
    let life = try await GatewayLife()
    let passwords = ["first battery 41", "second staple 87", "wrong guess 5309"]
    for password in passwords { life.keep(.password, password) }
    // 1. An account, and log-ins that are right and wrong.
    let registered = try await life.ask(
      "POST", "/auth/register",
      body: #"{"email":"ann@example.com","password":"\#(passwords[0])","userType":"racer","displayName":"Ann"}"#)
    let (token, athlete) = try life.session(registered)
    try await life.keepHash()
    func logIn(_ password: String) async throws -> GatewayLife.Answer {
      try await life.ask("POST", "/auth/login", body: #"{"email":"ann@example.com","password":"\#(password)"}"#)
    }
    _ = try life.session(try await logIn(passwords[0]))
    #expect(try await logIn(passwords[2]).status == 401)
    #expect(try await life.ask("GET", "/users/\(athlete)", token: token).status == 200)
    // 2. Tokens and passwords where they do not belong.
    #expect(try await life.ask("GET", "/users/\(athlete)", token: token + "x").status == 401)
    #expect(try await life.ask("GET", "/users/\(token)", token: token).status == 403)
    #expect(try await life.ask("GET", "/wp-json/gread/v2/me/achievements", token: token + "x").status == 403)
    #expect(try await life.ask("GET", "/\(token)").status == 404)
    #expect(try await life.ask("GET", "/races?type=\(token)").status == 400)
    #expect(try await life.ask("GET", "/races", headers: ["Authorization: Basic \(token)"]).status == 401)
    for body in [
      #"{"email":"ann@example.com","password":"\#(passwords[2])""#, #"{"password":["\#(passwords[2])"]}"#,
      #"{"email":"\#(passwords[2])","password":"\#(passwords[0])","userType":"racer"}"#,
    ] {
      #expect(try await life.ask("POST", "/auth/register", body: body).status == 400)
    }
    // 3. A new password by mail.
    #expect(try await life.ask("POST", "/auth/reset-password", body: #"{"email":"ann@example.com"}"#).status == 202)
    let mailed = try await life.mailedToken()
    func confirm(_ token: String, _ password: String) async throws -> Int {
      try await life.ask(
        "POST", "/auth/reset-password/confirm", body: #"{"token":"\#(token)","password":"\#(password)"}"#
      ).status
    }
    #expect(try await confirm(mailed + "x", passwords[2]) == 400)
    #expect(try await confirm(mailed, passwords[1]) == 204)
    #expect(try await confirm(mailed, passwords[2]) == 400)
    try await life.keepHash()
    #expect(try await life.ask("GET", "/users/\(athlete)", token: token).status == 401)
    let last = try life.session(try await logIn(passwords[1]))
    #expect(try await life.ask("POST", "/auth/logout", token: last.token).status == 204)
    #expect(try await life.ask("GET", "/auth/validate", token: last.token).status == 401)
    // 4. The search.
    try await life.addProcess()
    try await life.addTables()
    try await life.stop()
    #expect(life.haystack.found(life.needles) == [])
    try Self.expectLife(life)
  }

  /// A search that has nothing to look for, or nowhere to look, finds nothing either.
  private static func expectLife(_ life: GatewayLife) throws {
    let kinds = Set(life.needles.map(\.kind))
    #expect(kinds == [.password, .passwordHash, .ownToken, .oneTimeToken, .signingKey])
    let places = Set(life.haystack.names)
    let needed = ["journal", "answer of /metrics", "settled_reader settled.setting"]
    #expect(needed.filter { !places.contains($0) } == [], "\(places.sorted())")
    #expect(places.contains { $0.hasSuffix("environ") } && places.contains { $0.hasPrefix("answer 401") })
    // Each kind is found where it stands.
    let planted = Haystack()
    planted.add("planted", Data("password=first battery 41".utf8).base64EncodedString())
    #expect(planted.found(life.needles) == ["planted: password"])
  }
}
