import DaemonSupport
import Postgres
import TestSupport
import Testing

/// The uploads of athletes by the time their race is settled.
@Suite("An import before the settlement", .timeLimit(.minutes(4))) struct ImportTests {
  @Test func `an import before settlement brings the missing activity, and its athlete gets the prize`()
    async throws
  {
    let it = try await ImportWorld(2)
    let (world, athletes) = (it.world, it.athletes)
    try await world.setClock(ImportWorld.afterOutings)
    _ = try await it.course.outing(athletes[0], stravaId: 1, at: "2031-03-05T14:00:00Z", maxSpeed: "4.5")
    // One of another type is of no use, and one before the race belongs to another.
    try await world.provider.plant(
      1000 + athletes[1],
      activities: """
        [\(ImportWorld.summary(8, ["sport_type": #""Ride""#])), \(ImportWorld.summary(9, at: "12:59:59")), \
        \(ImportWorld.summary(7, at: "13:00:00")), \(ImportWorld.summary(10, at: "16:00:00"))]
        """, streams: "{\"7\": \(ImportWorld.streams)}")
    try await world.setClock(ImportWorld.end)
    try await it.untilEnded()
    try await it.untilImported()
    #expect(try await it.here() == [1, 7])
    let kept = try await world.owner.query(
      """
      SELECT a.athlete_id || ' ' || a.name || ' ' || a.activity_type || ' ' || a.distance || ' ' || a.max_speed || ' '
        || a.elapsed_time || ' ' || a.moving_time || ' ' || a.start_latitude || ' ' || a.polyline || ' ' || s.times::text
        || s.distances::text
      FROM racing.activity AS a JOIN racing.activity_stream AS s ON s.activity_id = a.id WHERE a.strava_id = 7
      """
    ).one(String.self)
    #expect(
      kept == """
        \(athletes[1]) Paddle Kayaking 6000.1 5.53 1900 1800 54.3626 mock {0,900000000000,1800000000000}\
        {0,2999500000000,6000100000000}
        """)
    #expect(try await it.reads() == 3, "two lists, and the streams of one activity")
    try await it.settle()
    let winner = try await world.owner.query(
      "SELECT athlete_id FROM racing.entry WHERE race_id = \(it.race) AND rank = 1"
    ).one(Int64.self)
    #expect(winner == athletes[1])
    #expect(try await it.course.payouts(it.race).first?.2 == 156, "75/95 of 198 pence")
    try await it.node.stop()
  }

  @Test func `an import before settlement does not happen while its setting is off`() async throws {
    let it = try await ImportWorld(1, isOn: false)
    try await it.plant(it.athletes[0], [7])
    let before = try await it.world.provider.report().calls
    try await it.world.setClock(ImportWorld.end)
    try await it.untilEnded()
    #expect(try await it.world.number("SELECT count(*) FROM strava.read_request") == 0)
    try await it.settle()
    #expect(try await it.here() == [])
    #expect(try await it.world.provider.report().calls == before)
    try await it.node.stop()
  }

  @Test func `an import before settlement never changes an existing activity`() async throws {
    let it = try await ImportWorld(2)
    let (world, athletes) = (it.world, it.athletes)
    try await world.setClock(ImportWorld.afterOutings)
    _ = try await it.course.outing(athletes[0], stravaId: 7, at: "2031-03-05T14:00:00Z", maxSpeed: "4.5")
    let standing: Statement = """
      SELECT string_agg(athlete_id || ' ' || encode(content_hash, 'hex') || ' ' || imported_at, ',' ORDER BY id)
      FROM racing.activity WHERE strava_id = 7
      """
    let before = try await world.owner.query(standing).one(String.self)
    // The provider's is faster.
    let faster = "[\(ImportWorld.summary(7, ["max_speed": "9.9"]))]"
    try await world.provider.plant(1000 + athletes[0], activities: faster, streams: "{\"7\": \(ImportWorld.streams)}")
    try await it.plant(athletes[1], [8])
    try await world.setClock(ImportWorld.end)
    try await it.untilEnded()
    try await it.untilImported()
    #expect(try await it.here() == [7, 8])
    #expect(try await world.owner.query(standing).one(String.self) == before)
    // The app may import it between the listing and the streams: the same holds then.
    try await world.owner.execute(
      """
      SELECT strava.ask_streams(\(athletes[0]), 7, '{"stravaId": 7, "name": "Paddle", "activityType": "Kayaking",
        "maxSpeed": 9.9, "startDate": "2031-03-05T14:00:00Z", "elapsedTime": 1900, "movingTime": 1800,
        "distance": 6000.1}', settled.clock() + interval '1 minute', 0)
      """)
    try await it.untilImported()
    #expect(try await world.owner.query(standing).one(String.self) == before)
    try await it.node.stop()
  }

  @Test func `an import before settlement lists once more at its end, and finds late uploads`() async throws {
    let it = try await ImportWorld(1)
    try await it.world.setClock(ImportWorld.end)
    try await it.untilEnded()
    try await it.untilImported()
    #expect(try await it.here() == [])
    try await it.plant(it.athletes[0], [7])
    try await it.world.setClock(ImportWorld.until - 900)
    try await untilTrue("the late one") { try await it.here() == [7] }
    try await untilTrue("the end of the request") {
      try await it.world.number("SELECT count(*) FROM strava.read_request") == 0
    }
    #expect(try await it.reads() == 3)
    try await it.node.stop()
  }

  @Test func `an import before settlement makes one listing for all due races of an athlete`()
    async throws
  {
    let it = try await ImportWorld(1)
    let other = try await it.world.owner.query(
      """
      SELECT racing.create_race('fastest_5km', 'weekly', 'senior_men', settled.clock() + interval '30 minutes',
        to_timestamp(\(Double(ImportWorld.end))))
      """
    ).one(Int64.self)
    _ = try await it.course.enter(it.athletes[0], other)
    try await it.world.provider.plant(
      1000 + it.athletes[0], activities: "[\(ImportWorld.summary(7, at: "12:31:00"))]", streams: "{}")
    try await it.world.setClock(ImportWorld.end)
    try await it.untilEnded()
    try await untilTrue("the other race's end") { try await it.course.status(other) == "ended" }
    try await it.untilImported()
    #expect(try await it.here() == [7])
    #expect(try await it.reads() == 2)
    try await it.node.stop()
  }

  @Test func `an import before settlement is made once by two nodes`() async throws {
    let it = try await ImportWorld(4)
    let second = try it.world.node("b")
    for athlete in it.athletes { try await it.plant(athlete, [athlete * 10, athlete * 10 + 1]) }
    try await it.world.setClock(ImportWorld.end)
    try await it.untilEnded()
    try await it.untilImported()
    #expect(try await it.here() == it.athletes.flatMap { [$0 * 10, $0 * 10 + 1] })
    #expect(try await it.reads() == 12)
    #expect(try await it.world.provider.report().byStatus["200"] == 4 + 12, "exchanges and reads")
    try await it.node.stop()
    try await second.stop()
  }
}
