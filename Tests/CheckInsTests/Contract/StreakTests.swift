import Postgres
import TestSupport
import Testing

@Suite("A streak") struct StreakTests {
  @Test func `a streak counts days that end today or yesterday, and restarts after a missed one`() async throws {
    let habit = try await Habit(at: "2031-03-28T08:00:00Z")
    try await habit.onboard("ann", "Europe/London")
    #expect(try await habit.streak("ann") == "0 0")
    for (at, streak) in [("28", "1 1 2031-03-28"), ("29", "2 2 2031-03-29"), ("30", "3 3 2031-03-30")] {
      try await habit.clock("2031-03-\(at)T20:00:00Z")
      try await habit.submit("ann")
      #expect(try await habit.streak("ann") == streak)
    }
    // Summer time has begun: the last day of the month ends at 23:00 UTC.
    try await habit.clock("2031-03-31T22:59:59Z")
    #expect(try await habit.streak("ann") == "3 3 2031-03-30")
    try await habit.clock("2031-03-31T23:00:00Z")
    #expect(try await habit.streak("ann") == "0 3 2031-03-30")
    #expect(try await habit.submit("ann") == "2031-04-01")
    #expect(try await habit.streak("ann") == "1 3 2031-04-01")
  }

  @Test func `a streak skips a date that the zone never had, and no other`() async throws {
    let habit = try await Habit(at: "2011-12-29T20:00:00Z")  // 29 December, 10:00, in Apia
    try await habit.onboard("ann", "Pacific/Apia")
    try await habit.onboard("neighbour", "Pacific/Pago_Pago")
    #expect(try await habit.submit("ann") == "2011-12-29")
    #expect(try await habit.submit("neighbour") == "2011-12-29")
    try await habit.clock("2011-12-31T20:00:00Z")  // 1 January in Apia, 31 December in Pago Pago
    #expect(try await habit.streak("ann") == "0 1 2011-12-29")
    #expect(try await habit.streak("neighbour") == "0 1 2011-12-29")
    try await habit.clock("2012-01-10T00:00:00Z")
    try await habit.onboard("later", "Pacific/Apia")
    let other = try await Habit(at: "2011-12-29T20:00:00Z")
    try await other.onboard("ann", "Pacific/Apia")
    try await other.submit("ann")
    try await other.clock("2011-12-30T20:00:00Z")  // 31 December in Apia
    #expect(try await other.streak("ann") == "1 1 2011-12-29")
    #expect(try await other.submit("ann") == "2011-12-31")
    #expect(try await other.streak("ann") == "2 2 2011-12-31")
  }

  @Test func `a streak survives a date that a flight skips; a flight back repeats the date`() async throws {
    let habit = try await Habit(at: "2031-03-10T10:30:00Z")  // 9 March, 23:30, in Pago Pago; 11 March in Kiritimati
    for user in ["ann", "bob"] {
      try await habit.onboard(user, "Pacific/Pago_Pago")
      #expect(try await habit.submit(user) == "2031-03-09")
    }
    try await habit.move("ann", to: "Pacific/Kiritimati")
    #expect(try await habit.streak("ann") == "1 1 2031-03-09")
    #expect(try await habit.submit("ann") == "2031-03-11")
    #expect(try await habit.streak("ann") == "2 2 2031-03-11")
    // Back on the ninth: the eleventh, already lived, stays today until it has passed there too.
    try await habit.move("ann", to: "Pacific/Pago_Pago")
    #expect(try await outcome { _ = try await habit.submit("ann") } == "SD409 already-checked-in")
    try await habit.clock("2031-03-12T20:00:00Z")  // 12 March
    #expect(try await habit.submit("ann") == "2031-03-12")
    #expect(try await habit.streak("ann") == "3 3 2031-03-12")
    // A person who stays misses the tenth and the eleventh.
    #expect(try await habit.streak("bob") == "0 1 2031-03-09")
  }

  @Test(arguments: [true, false])
  func `a streak that ended continues when a person flies back into the missed day, reset or not`(isReset: Bool)
    async throws
  {
    let habit = try await Habit(at: "2031-03-09T20:00:00Z")  // 10 March, 09:00, in Auckland
    try await habit.onboard("ann", "Pacific/Auckland")
    #expect(try await habit.submit("ann") == "2031-03-10")
    try await habit.clock("2031-03-11T12:00:00Z")  // 12 March in Auckland: the eleventh was missed
    if isReset { #expect(try await habit.reset() == 2) }
    #expect(try await habit.streak("ann") == "0 1 2031-03-10")
    try await habit.move("ann", to: "Pacific/Honolulu")  // 11 March there
    #expect(try await habit.streak("ann") == "1 1 2031-03-10")
    #expect(try await habit.submit("ann") == "2031-03-11")
    #expect(try await habit.streak("ann") == "2 2 2031-03-11")
    try await habit.reset()
    // It did end in Auckland, whenever that was noticed, and a copy of it continues.
    #expect(try await habit.days("Pacific/Auckland") == ["2031-03-10 1 0", "2031-03-11 0 1"])
    try await habit.clock("2031-03-14T12:00:00Z")
    try await habit.reset()
    #expect(try await habit.days("Pacific/Honolulu") == ["2031-03-11 1 0", "2031-03-12 0 1", "2031-03-13 0 0"])
  }

  @Test func `the history lists entries of the last 14, 60 and 365 dates with today, oldest first`()
    async throws
  {
    let habit = try await Habit(at: "2031-01-01T12:00:00Z")
    try await habit.onboard("ann", nil)
    // Each date twice removed by one: at the edge of each list and just outside of it.
    for day in ["2030-01-01", "2030-01-02", "2030-11-02", "2030-11-03", "2030-12-18", "2030-12-19", "2031-01-01"] {
      try await habit.session.execute(
        """
        INSERT INTO checkins.entry SELECT id, \(day)::text::date, 'UTC', 7.5, '{}', settled.clock() FROM checkins.profile
        """)
    }
    let lists = try await habit.session.query(
      """
      SELECT array_to_string(ARRAY(SELECT e->>'date' FROM jsonb_array_elements(s->'history'->n) AS e), ' ')
      FROM checkins.summary('ann') AS s, unnest('{days14,days60,days365}'::text[]) AS n
      """
    ).decode(String.self)
    #expect(
      lists == [
        "2030-12-19 2031-01-01", "2030-11-03 2030-12-18 2030-12-19 2031-01-01",
        "2030-01-02 2030-11-02 2030-11-03 2030-12-18 2030-12-19 2031-01-01",
      ])
    #expect(try await habit.summary("ann").contains(#"{"date": "2031-01-01", "score": 7.5}"#))
  }
}
