import Postgres
import TestSupport
import Testing

@testable import Gateway

/// Source: Racing.docc/Moderation.md, "Flags that count".
@Suite("Flags over HTTP", .timeLimit(.minutes(2))) struct CountedFlagTests {
  /// A race that runs, and its leader, whom a held activity takes off the board.
  private struct Field: Sendable {
    let world: SystemWorld
    let race: Int64
    let activity: Int64

    init(_ world: SystemWorld, proof: String) async throws {
      self.world = world
      race = try await world.number(
        """
        SELECT racing.create_race('top_speed', 'daily', 'masters_women', settled.clock() - interval '9 hours',
          settled.clock() + interval '15 hours')
        """)
      let leader = try await world.athlete("Leader", pounds: 5)
      try await world.owner.script(
        """
        SELECT racing.connect_strava(\(leader), 'c', 'read'), racing.enter_race(\(leader), \(race));
        """)
      let sent = """
        {"stravaId":1,"name":"Out","activityType":"Kayaking","startDate":"2031-06-02T08:00:00Z","elapsedTime":600,
         "movingTime":590,"distance":2000.5,"maxSpeed":4.2,"polyline":"x"}
        """
      let imported = try await world.json(
        "POST /activities", token: try await world.token(athlete: leader), body: sent, status: 201)
      activity = Int64(try imported["id"].plain) ?? 0
      // Entry and activity stand: only flags are looked at here.
      _ = try await world.owner.query("SELECT settled.set('racing.proof', \(proof))")
      try await world.owner.execute(
        "UPDATE racing.activity SET status = 'verified', scored = true, top_speed_mm_per_s = 4200")
      #expect(try await isOnBoard)
    }

    var isOnBoard: Bool {
      get async throws { try await world.json("GET /races/\(race)/leaderboard")["entries"].count == 1 }
    }

    /// The athletes flag over HTTP; returns the last count that an answer has.
    func flag(_ athletes: [Int64]) async throws -> DocumentJSON {
      var count = DocumentJSON.null
      for athlete in athletes {
        let token = try await world.token(athlete: athlete)
        count = try await world.json(
          "POST /activities/\(activity)/flag", token: token, body: #"{"reason":"fake_activity"}"#, status: 201
        )["flagCount"]
      }
      return count
    }

    func approve() async throws {
      _ = try await world.json(
        "POST /moderation/review", token: try await world.token(username: "mod", roles: [.moderator]),
        body: #"{"activityId":"\#(activity)","decision":"approve"}"#)
    }

    /// New athletes, each with a connection that was active once, or a spectator's account alone.
    func athletes(_ count: Int, proved: Bool) async throws -> [Int64] {
      var all: [Int64] = []
      for _ in 0..<count {
        let type = proved ? "racer" : "spectator"
        let athlete = try await world.number("SELECT racing.create_athlete('Some One', user_type => \(type))")
        if proved { try await connect(athlete, account: 1000 + athlete) }
        all.append(athlete)
      }
      return all
    }

    func connect(_ athlete: Int64, account: Int64?, status: String = "active") async throws {
      let number = account.map(String.init) ?? "NULL"
      try await world.owner.script(
        """
        SELECT racing.connect_strava(\(athlete), 'c', 'read');
        UPDATE strava.connection SET status = '\(status)', provider_athlete_id = \(number),
          reason = CASE '\(status)' WHEN 'needs_reauth' THEN 'grant' END WHERE athlete_id = \(athlete);
        """)
    }
  }

  @Test func `flags of spectators and of athletes without a proved account are kept and hold nothing`() async throws {
    try await SystemWorld.run { world in
      let field = try await Field(world, proof: "on")
      var strangers = try await field.athletes(3, proved: false)
      // Never connected, refused, taken by somebody else, disconnected, and a proved one who only looks.
      let states: [(String, Int64?)] = [("", nil), ("needs_reauth", nil), ("connecting", nil), ("revoked", 7)]
      for (status, account) in states {
        let athlete = try await world.athlete("Stranger")
        if !status.isEmpty { try await field.connect(athlete, account: account, status: status) }
        strangers.append(athlete)
      }
      let onlooker = try await field.athletes(1, proved: true)
      try await world.owner.execute("UPDATE racing.athlete SET user_type = 'spectator' WHERE id = ANY(\(onlooker))")
      #expect(try await field.flag(strangers + onlooker) == .number(0))
      #expect(try await field.isOnBoard)
      let moderator = try await world.token(username: "mod", roles: [.moderator])
      let listed = try await world.json("GET /moderation/flagged", token: moderator).elements
      #expect(listed.count == 1)
      #expect(try listed[0]["flagCount"] == .number(0) && listed[0]["openFlags"] == .number(8))
      #expect(try listed[0]["reasons"].elements == [.text("fake_activity")])
      // Nobody flags twice to make it count.
      try await field.connect(strangers[3], account: 8)
      let again = try await world.call(
        "POST /activities/\(field.activity)/flag", token: try await world.token(athlete: strangers[3]),
        body: #"{"reason":"other"}"#)
      #expect(again.status == 409 && again.has(#""rule":"already-flagged""#), "\(again)")
      // Three who are proved are heard.
      #expect(try await field.flag(try await field.athletes(2, proved: true)) == .number(2))
      #expect(try await field.isOnBoard)
      let reconnecting = try await world.athlete("Signs in again")
      try await field.connect(reconnecting, account: 9, status: "needs_reauth")
      #expect(try await field.flag([reconnecting]) == .number(3))
      let isHeld = try await !field.isOnBoard
      #expect(isHeld)
      // A decision closes them all.
      try await field.approve()
      #expect(try await field.isOnBoard)
      #expect(try await world.json("GET /moderation/flagged", token: moderator).count == 0)
    }
  }

  @Test func `an account at the provider flags once, whichever athletes have it one after the other`() async throws {
    try await SystemWorld.run { world in
      let field = try await Field(world, proof: "on")
      for number in 1...4 {
        let athlete = try await world.athlete("Athlete \(number)")
        try await field.connect(athlete, account: 77)
        #expect(try await field.flag([athlete]) == .number(1), "\(number)")
        // The daemon forgets the account once it is revoked at the provider; the next athlete may have it then.
        let disconnected = try await world.call(
          "PUT /users/\(athlete)/strava", token: try await world.token(athlete: athlete), body: "null")
        #expect(disconnected.status == 200, "\(disconnected)")
        try await world.owner.execute("SELECT strava.forget_tokens(\(athlete))")
      }
      #expect(try await field.isOnBoard)
      #expect(try await field.flag(try await field.athletes(2, proved: true)) == .number(3))
      let isHeld = try await !field.isOnBoard
      #expect(isHeld)
    }
  }

  @Test(arguments: ["on", "off"])
  func `each approval doubles the flags that hold the same content`(proof: String) async throws {
    try await SystemWorld.run { world in
      let field = try await Field(world, proof: proof)
      let isProved = proof == "on"
      for needed in [3, 6, 12] {
        #expect(
          try await field.flag(try await field.athletes(needed - 1, proved: isProved)) == .number(Double(needed - 1)))
        #expect(try await field.isOnBoard, "\(needed - 1) flags")
        _ = try await field.flag(try await field.athletes(1, proved: isProved))
        let isHeld = try await !field.isOnBoard
        #expect(isHeld, "\(needed) flags")
        try await field.approve()
        #expect(try await field.isOnBoard)
      }
    }
  }

  @Test func `flags keep what was true when they were made`() async throws {
    try await SystemWorld.run { world in
      let field = try await Field(world, proof: "off")
      #expect(try await field.flag(try await field.athletes(2, proved: false)) == .number(2))
      _ = try await world.owner.query("SELECT settled.set('racing.proof', 'on')")
      #expect(try await field.flag(try await field.athletes(1, proved: false)) == .number(2))
      #expect(try await field.isOnBoard)
      #expect(try await field.flag(try await field.athletes(1, proved: true)) == .number(3))
      _ = try await world.owner.query("SELECT settled.set('racing.proof', 'off')")
      let isHeld = try await !field.isOnBoard
      #expect(isHeld)
    }
  }
}
