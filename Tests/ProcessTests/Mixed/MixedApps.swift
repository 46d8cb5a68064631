import Foundation
import Postgres
import TestSupport

/// Everybody who makes work for the daemons of a mixed world.
struct MixedApps: Sendable {
  /// Athletes with tokens, whose activities are fetched; theirs is 1000 + our number at the provider.
  private static let connected = 8
  private static let place = "[54.3626, -2.9206]"
  private static let streams = #"{"time": {"data": [0, 900, 1800]}, "distance": {"data": [0.0, 2999.5, 6000.1]}}"#

  let racing: ClientLoad
  let people: ClientLoad
  let reviews: ClientLoad
  let web: GatewayLoad
  /// The activities that the provider has had from the beginning.
  let planted: [Int64]
  private let world: MixedWorld
  private let athletes: [Int64]
  private var random: SeededGenerator
  private(set) var herds = 0

  /// - Parameter races: how many races fetch activities; each ends twelve minutes after the one before.
  init(_ world: MixedWorld, fetchingRaces races: Int64, _ random: SeededGenerator) async throws {
    var random = random
    let owner = try await world.database.connect()
    let epoch = try await owner.query("SELECT extract(epoch FROM timestamptz \(raw: "'\(MixedWorld.start)'"))::bigint")
      .one(Int64.self)
    try await world.provider.setClock(epoch, runs: true)
    try await world.provider.configure(
      ProviderSettings(
        delayMs: 5, slowMs: 200, faults: [.slow: 0.05, .resetBefore: 0.03, .status500: 0.03], seed: random.seed))
    try await owner.script(
      """
      SELECT settled.set_clock('\(MixedWorld.start)', true);
      SELECT settled.set('racing.entry_cutoff', '0s'), settled.set('strava.import', 'on');
      CREATE SCHEMA ops; CREATE TABLE ops.effect (name text NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp());
      GRANT USAGE ON SCHEMA ops TO settled_schedule; GRANT INSERT ON ops.effect TO settled_schedule;
      CREATE FUNCTION ops.second() RETURNS void LANGUAGE sql AS 'INSERT INTO ops.effect VALUES (''each-second'')';
      CREATE FUNCTION ops.minute() RETURNS void LANGUAGE sql AS 'INSERT INTO ops.effect VALUES (''each-minute'')';
      """)
    _ = try await Herd(races: 5, entries: 30, athletes: 60).write(owner)
    let racers = try await owner.query("SELECT id FROM racing.athlete ORDER BY id").decode(Int64.self)
    (athletes, planted) = try await Self.connect(world, owner, races: races)
    try await owner.execute("SELECT settled.set('racing.results_grace', '0s')")
    let calls = try await PeopleCalls(owner)
    func load(_ clients: Int, _ script: @escaping LoadScript) -> ClientLoad {
      ClientLoad(
        world.database, clients: clients, random: SeededGenerator(seed: random.next()), repeats: true,
        script: script)
    }
    racing = load(2, RacingCalls.script(racers))
    people = load(1, calls.script())
    reviews = load(1, ReviewCalls.script(racers))
    web = try await GatewayLoad(
      world.gateway, athletes: racers, clients: 1, random: SeededGenerator(seed: random.next()), repeats: true)
    (self.world, self.random) = (world, random)
    await owner.close()
  }

  /// Athletes who came back with a code, who entered races, and who have uploaded three activities each.
  private static func connect(
    _ world: MixedWorld, _ owner: Connection, races: Int64
  ) async throws -> (athletes: [Int64], planted: [Int64]) {
    var (athletes, planted): ([Int64], [Int64]) = ([], [])
    for _ in 0..<connected {
      let athlete = try await owner.query("SELECT racing.create_athlete('Ann', date '2003-05-05', 'male')").one(
        Int64.self)
      let code = try await world.provider.authorize(1000 + athlete)
      try await owner.execute("SELECT racing.connect_strava(\(athlete), \(code), \(FakeProvider.scopes))")
      _ = try await owner.query("SELECT racing.deposit(\(athlete), 100000, 'first')")
      let ids = (1...3).map { athlete * 1_000_000 + $0 }
      let listed = ids.map { summary($0, minutesAgo: $0 % 1000 * 9) }
      try await world.provider.plant(
        1000 + athlete, activities: "[\(listed.joined(separator: ","))]",
        streams: "{\(ids.map { "\"\($0)\": \(streams)" }.joined(separator: ","))}")
      athletes.append(athlete)
      planted += ids
    }
    for number in 0..<races {
      let race = try await owner.query(
        """
        SELECT racing.create_race('top_speed', 'daily', 'senior_men', settled.clock() - \(3600 + number) * interval '1 second',
          settled.clock() + \(5 + number * 12) * interval '1 minute')
        """
      ).one(Int64.self)
      for athlete in athletes { _ = try await owner.query("SELECT racing.enter_race(\(athlete), \(race))") }
    }
    return (athletes, planted)
  }

  private static func summary(_ id: Int64, minutesAgo: Int64) -> String {
    let start = (try? Date(MixedWorld.start, strategy: .iso8601)) ?? .distantPast
    let time = start.addingTimeInterval(-60 * Double(minutesAgo)).formatted(.iso8601)
    return """
      {"id": \(id), "name": "Paddle", "type": "Kayaking", "sport_type": "Kayaking", "start_date": "\(time)",
       "elapsed_time": 1900, "moving_time": 1800, "distance": 6000.1, "max_speed": 5.53, "start_latlng": \(place),
       "end_latlng": \(place), "map": {"summary_polyline": "mock"}}
      """
  }

  /// More calls; sometimes a herd, tokens that are due, and a while that passes at once.
  mutating func beat() async throws {
    racing.allow(50)
    people.allow(40)
    web.allow(15)
    reviews.allow(6)
    if Int.random(in: 0..<3, using: &random) == 0 {
      let races = Int.random(in: 10...60, using: &random)
      _ = try await world.persist { try await Herd(races: races, entries: 15, athletes: 40).write($0) }
      herds += 1
    }
    let athlete = athletes.randomElement(using: &random) ?? 0
    try await world.ask(
      "UPDATE strava.connection SET next_call_at = settled.clock() WHERE athlete_id = \(athlete) AND status = 'active'")
    if Bool.random(using: &random) { try await world.advance(Int64.random(in: 120...900, using: &random)) }
  }

  var errors: [String] { racing.errors + people.errors + reviews.errors + web.errors }
  var calls: Int { racing.calls + people.calls + reviews.calls }
  var repeated: Int { racing.repeated + people.repeated + reviews.repeated + web.repeated }

  /// Waits until all that was allowed is called, and ends.
  func finish() async throws {
    try await untilTrue("the last calls, \(world.seed)", within: .seconds(180)) {
      racing.calls == racing.goal && people.calls == people.goal && reviews.calls == reviews.goal
        && web.calls == web.goal
    }
    for load in [racing, people, reviews] { await load.stop() }
    await web.stop()
  }

  func broken(_ owner: Connection) async throws -> [String] {
    try await racing.broken(owner) + people.broken(owner) + web.broken(owner)
  }
}
