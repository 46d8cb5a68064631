import Foundation
import Postgres
import TestSupport
import Testing

/// The answers that the canoe app shows, read with its own types.
@Suite("The canoe app", .timeLimit(.minutes(2))) struct RacepaceAppTests {
  /// The app loads one page and filters it itself.
  @Test func `one page has every race of the calendar, those that end first first`() async throws {
    try await SystemWorld.run { world in
      // Months and weeks are older than days, whose races are made last.
      try await world.owner.execute(
        """
        SELECT racing.create_race(t, d, c, day, day + d_length)
        FROM (VALUES ('monthly', interval '30 days', 1), ('weekly', interval '7 days', 2), ('daily', interval '1 day', 2))
            AS d (d, d_length, count),
          generate_series(0, count - 1) AS n,
          LATERAL (SELECT timestamptz '2031-06-02 00:00:00Z' + n * d_length AS day) AS s,
          unnest('{top_speed,furthest_distance,fastest_1km,fastest_5km}'::text[]) AS t,
          unnest('{junior_girls,junior_boys,women_u23,men_u23,senior_women,senior_men,masters_women,masters_men}'::text[])
            AS c
        """)
      let page = try await world.call("GET /races")
      let races = try RacepaceApp.decode([RacepaceApp.Race].self, page.body)
      #expect(races.count == 160 && page["Link"] == nil)
      #expect(races.map(\.endDate) == races.map(\.endDate).sorted())
      for category in RacepaceApp.Category.allCases {
        #expect(races.count { $0.duration == .daily && $0.category == category } == 8, "\(category)")
      }
      #expect(races.prefix(64).allSatisfy { $0.duration == .daily })
    }
  }

  @Test func `the link of each page of races leads to the next, and a cursor of another list is refused`() async throws
  {
    try await SystemWorld.run { world in
      try await world.owner.execute(
        """
        SELECT racing.create_race('top_speed', 'daily', 'senior_men', at, at + interval '1 day')
        FROM generate_series(timestamptz '2031-06-07 00:00:00Z', '2031-06-03 00:00:00Z', '-1 day') AS at
        """)
      var (path, seen): (String?, [String]) = ("/races?limit=2&type=top_speed", [])
      while let next = path, seen.count <= 5 {
        let page = try await world.call("GET \(next)")
        seen += try RacepaceApp.decode([RacepaceApp.Race].self, page.body).map(\.id)
        path = page["Link"].map { $0.dropFirst(SystemWorld.publicURL.count + 1).prefix { $0 != ">" }.description }
      }
      #expect(seen == ["5", "4", "3", "2", "1"])
      for cursor in ["3", "x", "5-2", "%E2%82%AC"] {
        let refused = try await world.call("GET /races?after=\(cursor)")
        #expect(refused.status == 400 && refused.has(#""rule":"after""#), "\(refused)")
      }
      for (limit, status) in [(500, 200), (501, 400), (0, 400)] {
        #expect(try await world.call("GET /races?limit=\(limit)").status == status, "\(limit)")
      }
    }
  }

  @Test func `an account without an athlete logs in as a spectator`() async throws {
    try await SystemWorld.run { world in
      let account = try await world.account("mod@example.com", username: "mod")
      let loggedIn = try await world.logIn("mod")
      let session = try RacepaceApp.decode(RacepaceApp.Session.self, loggedIn.body)
      #expect(session.user.id == "account-\(account)" && session.user.userType == .spectator)
      #expect(session.user.wallet == nil && session.user.email == "mod@example.com")
      let validated = try await world.call("GET /auth/validate", token: session.token)
      #expect(try RacepaceApp.decode(RacepaceApp.Session.self, validated.body).user.id == session.user.id)
      let refused = try await world.call("GET /users/\(session.user.id)", token: session.token)
      #expect(refused.status == 403, "\(refused)")
    }
  }

  @Test func `a person without a name gets one of their own, and is born on the phone's date`() async throws {
    try await SystemWorld.run { world in
      let registered = try await world.call(
        "POST /auth/register", body: #"{"email":"a@example.com","password":"correct horse","userType":"racer"}"#)
      let session = try RacepaceApp.decode(RacepaceApp.Session.self, registered.body)
      #expect(session.user.displayName == "Racer \(session.user.id)" && session.user.wallet?.balance == 0)
      // Midnight of 15 June in London.
      let changed = try await world.call(
        "PUT /users/\(session.user.id)", token: session.token, body: #"{"dateOfBirth":"1995-06-14T23:00:00Z"}"#)
      #expect(try DocumentJSON(changed.body)["dateOfBirth"] == .text("1995-06-15T00:00:00Z"))
    }
  }

  /// One type that the app does not know would spoil its whole list.
  @Test func `the app's own list has what cannot count, tracks, and no speed that was not measured`() async throws {
    try await SystemWorld.run { world in
      let ann = try await world.athlete("Ann")
      let token = try await world.token(athlete: ann)
      for (id, type) in [(1, "Kayaking"), (2, "Rowing"), (3, "StandUpPaddling"), (4, "Running")] {
        let body = """
          {"stravaId":\(id),"name":"Out","activityType":"\(type)","startDate":"2031-06-01T0\(id):00:00Z",
           "elapsedTime":600,"movingTime":0,"distance":0,"maxSpeed":null,"polyline":"_p~iF~ps|U"}
          """
        let imported = try await world.call("POST /activities", token: token, body: body)
        let activity = try RacepaceApp.decode(RacepaceApp.Activity.self, imported.body)
        #expect(imported.status == 201 && activity.maxSpeed == nil && activity.averageSpeed == nil)
        #expect(activity.polyline == "_p~iF~ps|U")
      }
      try await world.owner.execute(
        "UPDATE racing.activity SET status = 'rejected', reasons = '{type}' WHERE activity_type <> 'Kayaking'")
      let list = try await world.call("GET /users/\(ann)/activities", token: token)
      let activities = try RacepaceApp.decode([RacepaceApp.Activity].self, list.body)
      #expect(activities.map(\.stravaId) == [3, 2, 1] && activities[1].status == .disqualified)
      let elements = try DocumentJSON(list.body).elements
      #expect(try elements.map { try $0["exactType"].plain } == ["StandUpPaddling", "Rowing", "Kayaking"])
      #expect(try elements[1]["reasons"] == .array([.text("type")]))
      // A page that ends early for its size has a link.
      try await world.owner.execute("UPDATE racing.activity SET polyline = repeat('x', 1000000)")
      try await world.owner.execute(
        """
        INSERT INTO racing.activity (athlete_id, strava_id, name, activity_type, started_at, elapsed_time, moving_time,
          distance, polyline, content_hash, imported_at)
        SELECT athlete_id, 10 + n, name, activity_type, started_at, elapsed_time, moving_time, distance, polyline,
          content_hash, imported_at FROM racing.activity, generate_series(1, 5) AS n WHERE strava_id = 1
        """)
      let first = try await world.call("GET /users/\(ann)/activities", token: token)
      let shown = try RacepaceApp.decode([RacepaceApp.Activity].self, first.body)
      #expect(shown.count == 5 && first["Link"]?.contains("before=\(shown[4].id)") == true, "\(first["Link"] ?? "")")
      let second = try await world.call("GET /users/\(ann)/activities?before=\(shown[4].id)", token: token)
      #expect(try RacepaceApp.decode([RacepaceApp.Activity].self, second.body).count == 3 && second["Link"] == nil)
    }
  }
}
