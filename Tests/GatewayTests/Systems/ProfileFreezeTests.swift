import Postgres
import TestSupport
import Testing

@testable import Gateway

@Suite("A profile in racepace", .timeLimit(.minutes(2))) struct ProfileFreezeTests {
  /// Finding T11: one person entered the races of six categories by changing birth date and gender before each.
  @Test func `a person who has entered a race cannot enter others in a costume`() async throws {
    try await SystemWorld.run { world in
      let man = try await world.number("SELECT racing.create_athlete('Bob', date '1990-01-01', 'male')")
      _ = try await world.owner.query("SELECT racing.deposit(\(man), 2000, 'first')")
      let token = try await world.token(athlete: man)
      let user = "PUT /users/\(man)"
      _ = try await world.json(user + "/strava", token: token, body: #"{"code":"c","scope":"read"}"#, status: 201)
      var races: [String: Int64] = [:]
      for category in ["masters_men", "junior_girls", "women_u23", "senior_women", "junior_boys"] {
        races[category] = try await world.number(
          """
          SELECT racing.create_race('top_speed', 'daily', \(category), settled.clock() - interval '1 hour',
            settled.clock() + interval '23 hours')
          """)
      }
      func enter(_ category: String) async throws -> Int {
        try await world.call("POST /races/\(races[category] ?? 0)/enter", token: token).status
      }
      // Before the first entry a mistake can be mended.
      let typo = try await world.call(user, token: token, body: #"{"dateOfBirth":"1991-01-01T00:00:00Z"}"#)
      #expect(typo.status == 200, "\(typo)")
      #expect(try await enter("masters_men") == 201)
      for costume in [
        #"{"dateOfBirth":"2016-01-01T00:00:00Z","gender":"female"}"#, #"{"gender":"female"}"#,
        #"{"gender":"other"}"#, #"{"dateOfBirth":"1991-01-02T00:00:00Z"}"#,
        #"{"displayName":"Eve","dateOfBirth":"2010-01-01","gender":"male"}"#,
      ] {
        let refused = try await world.call(user, token: token, body: costume)
        #expect(refused.status == 409 && refused.has(#""rule":"profile-frozen""#), "\(costume): \(refused)")
      }
      for category in ["junior_girls", "women_u23", "senior_women", "junior_boys"] {
        #expect(try await enter(category) == 403, "\(category)")
      }
      // The app sends its whole user back, in each form of a date.
      for same in [
        #"{"displayName":"Robert","dateOfBirth":"1991-01-01T00:00:00Z","gender":"male","userType":"racer"}"#,
        #"{"dateOfBirth":"1991-01-01"}"#, #"{"dateOfBirth":null,"gender":null}"#, "{}",
      ] {
        let kept = try await world.call(user, token: token, body: same)
        #expect(kept.status == 200, "\(same): \(kept)")
      }
      let shown = try await world.json("GET /users/\(man)", token: token)
      #expect(try shown["displayName"] == .text("Robert") && shown["gender"] == .text("male"))
      // What cannot be a birth date is refused as such.
      let wrong = try await world.call(user, token: token, body: #"{"dateOfBirth":"1991-02-30T00:00:00Z"}"#)
      #expect(wrong.status == 400, "\(wrong)")
    }
  }
}
