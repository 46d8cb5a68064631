import Postgres
import DaemonSupport
import TestSupport

/// Athletes with an active connection who have entered a race, over a kilometre by default, from 13:00 to 16:00, whose
/// results are due at 17:00.
///
/// Their number at the provider is 1000 + ours. Tokens last until 18:01. Nothing is called after 16:55.
struct ImportWorld: Sendable {
  static let end = World.start + 4 * World.hour
  /// Outings that start at 14:00 are over.
  static let afterOutings = World.start + 2 * World.hour + 2400
  static let until = end + 55 * 60
  static let due = end + World.hour

  let world: World
  let course: Course
  let race: Int64
  let athletes: [Int64]
  let node: TestNode

  /// - Parameter length: of the race, in seconds.
  init(_ count: Int, isOn: Bool = true, length: Int64 = 3 * World.hour, type: String = "fastest_1km") async throws {
    world = try await World()
    course = Course(database: world.database, session: world.owner)
    if isOn { try await world.owner.execute("SELECT settled.set('strava.import', 'on')") }
    race = try await world.owner.query(
      """
      SELECT racing.create_race(\(type), 'daily', 'senior_men', settled.clock() + interval '1 hour',
        settled.clock() + interval '1 hour' + \(length) * interval '1 second')
      """
    ).one(Int64.self)
    var athletes: [Int64] = []
    for _ in 0..<count {
      let athlete = try await course.athlete()
      try await world.connect(athlete, as: 1000 + athlete)
      _ = try await course.enter(athlete, race)
      athletes.append(athlete)
    }
    self.athletes = athletes
    // The course has connected them, too, and codes of one athlete are exchanged a minute apart.
    try await world.advance(by: 60)
    node = try world.node()
    for athlete in athletes { try await world.until(athlete, is: "active") }
  }

  /// An outing in British waters, as the provider lists it; `changed` has JSON by key.
  static func summary(_ id: Int64, at time: String = "14:00:00", _ changed: [String: String] = [:]) -> String {
    let place = "[54.3626, -2.9206]"
    let usual = [
      "id": "\(id)", "name": #""Paddle""#, "type": #""Kayaking""#, "sport_type": #""Kayaking""#,
      "start_date": #""2031-03-05T\#(time)Z""#, "elapsed_time": "1900", "moving_time": "1800", "distance": "6000.1",
      "max_speed": "5.53", "start_latlng": place, "end_latlng": place, "map": #"{"summary_polyline": "mock"}"#,
    ]
    return "{\(usual.merging(changed) { $1 }.map { #""\#($0)": \#($1)"# }.joined(separator: ", "))}"
  }

  static let streams = #"{"time": {"data": [0, 900, 1800]}, "distance": {"data": [0.0, 2999.5, 6000.1]}}"#

  /// Plants outings, each with streams.
  func plant(_ athlete: Int64, _ ids: [Int64]) async throws {
    try await world.provider.plant(
      1000 + athlete, activities: "[\(ids.map { Self.summary($0) }.joined(separator: ","))]",
      streams: "{\(ids.map { "\"\($0)\": \(Self.streams)" }.joined(separator: ","))}")
  }

  /// Every request is listed for the first time, and all that was found is kept.
  func untilImported() async throws {
    try await untilTrue("all are listed, and kept") {
      try await world.number(
        "SELECT count(*) FROM strava.read_request WHERE coalesce(next_call_at, settled.clock()) <= settled.clock()")
        == 0
    }
  }

  /// The race has ended, and what it asked for is there.
  func untilEnded() async throws {
    try await untilTrue("the end of the race") { try await course.status(race) == "ended" }
  }

  func settle() async throws {
    try await world.setClock(Self.due)
    try await untilTrue("the settlement") { try await course.status(race) == "settled" }
  }

  /// Reads that were taken from their budget on this day.
  func reads() async throws -> Int64 {
    try await world.number(
      "SELECT coalesce(max(used), 0) FROM settled.call_window WHERE budget = 'strava-reads' AND seconds = 86400")
  }

  /// Ids at the provider of all activities that are here.
  func here() async throws -> [Int64] {
    try await world.owner.query("SELECT strava_id FROM racing.activity ORDER BY strava_id").decode(Int64.self)
  }
}
