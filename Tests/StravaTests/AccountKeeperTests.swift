import DaemonSupport
import Engine
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Strava

/// Accounts at the provider that belong to an athlete, through a daemon.
@Suite("The keeper of accounts", .timeLimit(.minutes(3))) struct AccountKeeperTests {
  private func name(_ owner: Connection) async throws -> String? {
    try await owner.query("SELECT strava.own_name(claim) FROM strava.account_keeper").one(String?.self)
  }

  @Test func `the keeper is registered by the schema itself, and by nobody but its owner`() async throws {
    let database = try await SettledDatabase.simulated()
    let owner = try await database.connect()
    #expect(try await name(owner) == "racing.claim_account")
    for role in [SettledDatabase.Role.app, .daemon] {
      let session = try await database.connect(role)
      for statement in [
        """
        SELECT strava.register_account_keeper('racing.claim_account(bigint, bigint)', 'racing.keep_gender(bigint, text)')
        """,
        "UPDATE strava.account_keeper SET claim = 'public.claim(bigint, bigint)'", "DELETE FROM strava.account_keeper",
      ] as [Statement] {
        let error = await #expect(throws: PostgresError.self) { try await session.execute(statement) }
        #expect(error?.sqlState == "42501")
      }
    }
  }

  @Test(arguments: [
    "public.claim(bigint, bigint)", "racing.keep_gender(bigint, text)", "nowhere.f(bigint, bigint)",
    "'; DROP TABLE racing.race; --",
  ])
  func `the keeper must be an existing function of the owner with the right signature`(claim: String) async throws {
    let owner = try await SettledDatabase.simulated().connect()
    try await owner.execute(
      "CREATE FUNCTION public.claim(bigint, bigint) RETURNS boolean LANGUAGE sql AS 'SELECT true'")
    let error = await #expect(throws: PostgresError.self) {
      try await owner.execute("SELECT strava.register_account_keeper(\(claim), 'racing.keep_gender(bigint, text)')")
    }
    #expect(error != nil)
    #expect(try await name(owner) == "racing.claim_account")
  }

  @Test func `two athletes who exchange codes of one account at the same time do not both have it`() async throws {
    let world = try await World()
    try await world.owner.execute("SELECT settled.set('racing.proof', 'on')")
    let athletes = try await world.app.query(
      "SELECT racing.create_athlete('Ann'), racing.create_athlete('Bea')"
    ).one(Int64.self, Int64.self)
    try await world.provider.configure(ProviderSettings(delayMs: 100))
    for athlete in [athletes.0, athletes.1] { try await world.connect(athlete, as: 7000) }
    let (one, two) = (try world.node("a"), try world.node("b"))
    try await untilTrue("both exchanges") {
      try await world.number("SELECT count(*) FROM strava.connection WHERE status <> 'connecting'") == 2
    }
    let states = [try await world.status(athletes.0), try await world.status(athletes.1)]
    #expect(states.sorted() == ["active", "needs_reauth taken"])
    let proved = try await world.owner.query("SELECT count(*) FROM racing.athlete AS a WHERE racing.is_proved(a.id)")
    #expect(try proved.one(Int64.self) == 1)
    try await one.stop()
    try await two.stop()
  }

  @Test func `the sex of the provider's answer survives the spool, and a former release's file has none`() async throws
  {
    let now = Timestamp(microseconds: World.start * 1_000_000)
    let input = TokenRefreshJob.Input(
      athlete: 7, purpose: .exchange, generation: 0, attempt: 1, secret: "ac_x", sealingKey: "k", at: now)
    let pair = try #require(
      TokenAnswer.pair(
        in: Array(
          #"{"access_token": "a", "refresh_token": "r", "expires_at": 1930500000, "athlete": {"id": 5, "sex": "F"}}"#
            .utf8),
        former: nil, at: now))
    #expect(pair.athleteID == 5 && pair.sex == .female)
    let written = try JSONEncoder().encode(SpooledTokens(pair, for: input, under: 1))
    #expect(try JSONDecoder().decode(SpooledTokens.self, from: written).sex == .female)
    let former = String(decoding: written, as: UTF8.self).replacing(/,?"sex":"F"/, with: "").replacing("{,", with: "{")
    let read = try JSONDecoder().decode(SpooledTokens.self, from: Data(former.utf8))
    #expect(read.sex == nil && read.providerAthlete == 5)
  }

  @Test(arguments: ["null", #""X""#, "7", #"["M"]"#, #""male""#])
  func `another sex is none, and costs neither the account nor the tokens`(sex: String) throws {
    let answer = #"{"access_token": "a", "refresh_token": "r", "expires_in": 60, "athlete": {"id": 5, "sex": \#(sex)}}"#
    let pair = TokenAnswer.pair(in: Array(answer.utf8), former: nil, at: Timestamp(microseconds: 0))
    #expect(pair?.athleteID == 5 && pair?.sex == nil)
  }
}
