import Postgres
import TestSupport
import TextCoding
import Testing

/// An athlete changes, hides or deletes at the provider what has come here, over HTTP.
@Suite("What an athlete changes afterwards at the provider", .timeLimit(.minutes(5))) struct ProviderChangeAttackTests {
  /// Athletes with accounts at the provider in a race that ends at 11:00 of 6 March, and is due an hour later.
  private struct World {
    let proof: ProofWorld
    let race: Int64
    private(set) var people: [ProofWorld.Person] = []

    var owner: Connection { proof.owner }

    /// Each claims an activity of their own, 501, 502 and so on, with these speeds.
    init(_ speeds: [String]) async throws {
      proof = try await ProofWorld()
      race = try await proof.race()
      for (index, speed) in speeds.enumerated() {
        let (person, account) = (try await proof.person("Athlete \(index)"), Int64(7001 + index))
        try await proof.connect(person, code: try await proof.provider.authorize(account))
        try await proof.until(person, is: "active")
        #expect(try await proof.enter(person, race) == "201")
        people.append(person)
        try await plant(index, speed: speed)
        let claim = try await proof.ask(
          "POST", "/activities", person,
          body: """
            {"stravaId": \(501 + index), "name": "n", "activityType": "Kayaking", "startDate": "2031-03-05T11:10:00Z",
             "elapsedTime": 600, "movingTime": 600, "distance": 2000}
            """)
        #expect(claim.status == 201)
      }
      for index in speeds.indices { try await until(index, is: "verified 6000 everyone") }
    }

    /// Makes the provider show the activity of an athlete.
    func plant(
      _ index: Int, speed: String, distance: String = "6000", visibility: String = "everyone"
    ) async throws {
      let place = "[54.3626, -2.9206]"
      try await proof.provider.plant(
        Int64(7001 + index),
        activities: """
          [{"id": \(501 + index), "name": "Paddle", "sport_type": "Kayaking", "start_date": "2031-03-05T11:10:00Z",
            "elapsed_time": 1900, "moving_time": 1800, "distance": \(distance), "max_speed": \(speed),
            "start_latlng": \(place), "end_latlng": \(place), "map": {"summary_polyline": "mock"},
            "visibility": "\(visibility)"}]
          """)
    }

    func delete(_ index: Int) async throws {
      try await proof.provider.delete(Int64(7001 + index), [Int64(501 + index)])
    }

    /// Waits until the athlete's activity has this status, distance and visibility, and `deleted` where it was.
    func until(_ index: Int, is state: String) async throws {
      try await untilTrue("activity \(501 + index) is \(state)") {
        try await self.owner.query(
          """
          SELECT concat_ws(' ', status, distance, visibility, CASE WHEN deleted_at IS NOT NULL THEN 'deleted' END)
          FROM racing.activity WHERE strava_id = \(Int64(501 + index))
          """
        ).first(String.self) == state
      }
    }

    /// Has the daemon read the activity, as a webhook does.
    func hint(_ index: Int) async throws {
      _ = try await owner.query(
        "SELECT strava.ask_activity(\(people[index].athlete), \(Int64(501 + index)), settled.clock() + interval '1 day', 3)"
      )
      try await owner.execute("SELECT settled.notify('')")
      try await untilTrue("the read") {
        try await self.owner.query("SELECT count(*) FROM strava.read_request WHERE class = 3").one(Int64.self) == 0
      }
    }

    func settled() async throws {
      try await untilTrue("the settlement") {
        try await self.owner.query("SELECT status FROM racing.race WHERE id = \(self.race)").one(String.self)
          == "settled"
      }
    }

    func wallet(_ index: Int) async throws -> Int64 {
      try await owner.query("SELECT balance_pence FROM racing.wallet WHERE athlete_id = \(people[index].athlete)").one(
        Int64.self)
    }

    /// The ids of the provider in one's own list, and in everybody's.
    func lists(_ index: Int) async throws -> [[Int64]] {
      let person = people[index]
      var lists: [[Int64]] = []
      for path in ["/users/\(person.athlete)/activities", "/activities"] {
        lists.append(
          try JSONValue(try await proof.ask("GET", path, person).body).elements.compactMap { $0["stravaId"]?.integer })
      }
      return lists
    }
  }

  @Test func `an activity deleted before the results wins nothing, and a deletion afterwards neither loses nor hides`()
    async throws
  {
    let world = try await World(["5.5", "4.5"])
    #expect(try await world.lists(0) == [[501], [502, 501]])
    try await world.delete(0)
    // The race ends, and its entrants are listed.
    try await world.proof.advance(23 * 3600 + 5)
    try await world.until(0, is: "verified 6000 only_me deleted")
    #expect(try await world.lists(0) == [[], [502]])
    try await world.proof.advance(3600)
    try await world.settled()
    #expect(try await world.wallet(0) == 10_000 - 100)
    #expect(try await world.wallet(1) > 10_000)
    // The winner deletes as well, and keeps the prize.
    let prize = try await world.wallet(1)
    try await world.delete(1)
    try await world.hint(1)
    try await world.until(1, is: "verified 6000 only_me deleted")
    #expect(try await world.lists(1) == [[], []])
    #expect(try await world.wallet(1) == prize)
    // The other one flags by the number on the leaderboard.
    let board = try await world.proof.ask("GET", "/races/\(world.race)/leaderboard", world.people[0])
    #expect("\(board.body)".contains("Athlete 1"), "\(board)")
    let id = try await world.owner.query("SELECT id FROM racing.activity WHERE strava_id = 502").one(Int64.self)
    let flag = try await world.proof.ask(
      "POST", "/activities/\(id)/flag", world.people[0], body: #"{"reason": "motorizedAssistance"}"#)
    #expect(flag.status == 201, "\(flag)")
    let shown = try await world.proof.settlectl("review", "list")
    #expect(shown.contains(#""deletedAt": "2031-"#), "\(shown)")
    // A day later names, places and tracks are gone.
    try await world.proof.advance(25 * 3600)
    try await untilTrue("forgotten") {
      try await world.owner.query("SELECT count(*) FROM racing.activity WHERE name <> '' OR polyline IS NOT NULL").one(
        Int64.self) == 0
    }
    #expect(try await world.wallet(1) == prize)
    #expect(try await world.proof.stop())
  }

  @Test func `a crop counts until the results are due, and a private activity counts without being shown`() async throws
  {
    let world = try await World(["5.5", "4.5"])
    try await world.plant(0, speed: "3.5", distance: "5000", visibility: "only_me")
    try await world.proof.advance(23 * 3600 + 5)
    try await world.until(0, is: "verified 5000 only_me")
    #expect(try await world.lists(0) == [[501], [502]])
    try await world.proof.advance(3600)
    try await world.settled()
    let winner = try await world.owner.query(
      "SELECT athlete_id FROM racing.payout ORDER BY amount_pence DESC LIMIT 1"
    ).one(Int64.self)
    #expect(winner == world.people[1].athlete, "by what the provider shows now")
    // What is edited later changes who sees it, and no result.
    try await world.plant(0, speed: "9.5", distance: "7000", visibility: "everyone")
    try await world.hint(0)
    try await world.until(0, is: "verified 5000 everyone")
    #expect(try await world.proof.stop())
  }

  @Test func `an athlete who disconnects is forgotten within two days, and keeps the prize`() async throws {
    let world = try await World(["5.5", "4.5"])
    try await world.proof.disconnect(world.people[0])
    try await world.proof.advance(24 * 3600 + 5)
    try await world.settled()
    #expect(try await world.wallet(0) > 10_000, "the activity was proved, and stands")
    try await world.proof.advance(3600)
    try await untilTrue("forgotten") {
      let ids = try await world.owner.query("SELECT strava_id FROM racing.activity WHERE name = ''").decode(Int64.self)
      return ids == [Int64(501)]
    }
    #expect(try await world.proof.stop())
  }
}
