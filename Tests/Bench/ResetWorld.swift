import Postgres

/// People over all zones who checked in until yesterday, as the contract functions would have left them, but for their
/// entries, which no reset reads.
///
/// A tenth lives in each of four zones; the others share the rest evenly. Every zone stands on its yesterday, whose
/// end is put off until a run makes it due.
struct ResetWorld {
  /// A zone of a tenth of all people, of whom so many in a hundred do not come on its closing day.
  struct Zone {
    let name: String
    let percent: Int
    /// Whether the check-ins of the closing day come just before its end: vacuum has not been there.
    var isFresh = false
  }

  static let main = Zone(name: "Europe/Istanbul", percent: 10)
  static let few = Zone(name: "America/New_York", percent: 1)
  static let many = Zone(name: "Asia/Tokyo", percent: 50)
  static let fresh = Zone(name: "Europe/Paris", percent: 10, isFresh: true)
  static let large = [main, few, many, fresh]

  let profiles: Int

  func write(_ owner: Connection) async throws {
    let names = Self.large.map(\.name)
    try await owner.execute(
      """
      INSERT INTO checkins.zone (name, next_date, next_at)
      SELECT name, settled.local_date(clock_timestamp(), name) - 1, clock_timestamp() + interval '1 day'
      FROM settled.time_zone
      """)
    // People are written in an order that has nothing to do with their zones.
    try await owner.execute(
      """
      INSERT INTO checkins.profile (user_id, time_zone, is_onboarded, created_at, zone_since)
      SELECT 'person ' || n, CASE WHEN n % 10 < 4 THEN (\(names))[1 + n % 10]
          ELSE o.names[1 + (n / 10 * 7 + n % 10) % cardinality(o.names)] END,
        true, clock_timestamp() - interval '30 days', current_date - 30
      FROM generate_series(0, \(Int64(profiles - 1))) AS n,
        (SELECT array_agg(name ORDER BY name) AS names FROM settled.time_zone WHERE name <> ALL(\(names))) AS o
      """)
    // All came on the day before yesterday.
    try await owner.execute(
      """
      INSERT INTO checkins.streak (profile_id, zone, started_on, last_on, length, ends_on)
      SELECT p.id, p.time_zone, z.next_date - 29, z.next_date - 1, 29, z.next_date
      FROM checkins.profile AS p JOIN checkins.zone AS z ON z.name = p.time_zone
      """)
    try await owner.execute(
      "UPDATE checkins.profile AS p SET streak_id = s.id, longest_streak = 29 FROM checkins.streak AS s WHERE s.profile_id = p.id"
    )
    // Those come yesterday who do: outside of the large zones everybody.
    for zone in Self.large where !zone.isFresh { try await Self.checkIn(zone, owner) }
    try await owner.execute(
      """
      UPDATE checkins.streak SET last_on = last_on + 1, length = length + 1, ends_on = ends_on + 1
      WHERE zone <> ALL(\(names))
      """)
    try await owner.execute(
      """
      INSERT INTO checkins.tally (zone, date, shard, checked_in)
      SELECT z.name, z.next_date, n, 100 FROM checkins.zone AS z, generate_series(0, 7) AS n
      """)
    try await owner.execute("VACUUM (FREEZE, ANALYZE)")
  }

  /// The check-ins of a zone's closing day.
  static func checkIn(_ zone: Zone, _ owner: Connection) async throws {
    try await owner.execute(
      """
      UPDATE checkins.streak AS s SET last_on = last_on + 1, length = length + 1, ends_on = ends_on + 1
      FROM (SELECT id, row_number() OVER (ORDER BY id) AS place FROM checkins.streak WHERE zone = \(zone.name)) AS n
      WHERE n.id = s.id AND n.place % 100 >= \(Int64(zone.percent))
      """)
  }
}
