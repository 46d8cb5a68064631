import Engine
import HostProcess
import Money

/// The events of the demo, in the order of its simulated time.
struct DemoStory: Sendable {
  let app: DemoApp
  let owner: DemoOwner
  let daemon: DemoDaemon
  let time: Timekeeper
  let seed: UInt64
  let show: @Sendable (String) -> Void

  private struct Field {
    let race: DemoRace
    let id: Int64
    var athletes: [(id: Int64, name: String)]
  }

  private var patience: DemoPatience { DemoPatience(time: time) }

  /// Where the clock stands at first: a Friday.
  static let start = "2031-03-28T08:00:00Z"

  func run() async throws {
    var people = DemoPeople(seed: seed)
    var fields = try await open()
    try await fill(&fields, &people)
    let habits = DemoHabits(app: app, owner: owner, show: show)
    try await habits.begin()
    try await habits.checkIn(day: 0)
    let team = DemoTeam(app: app, owner: owner, show: show)
    try await team.begin()
    try await team.log(day: 0)
    let readers = DemoReaders(app: app, owner: owner, show: show)
    try await readers.begin()
    try await readers.read(day: 0)
    try await tokens("The athletes have connected")
    try await paddle(fields, &people) { day in
      try await tokens("A day later")
      try await habits.checkIn(day: day)
      try await team.log(day: day)
      try await readers.read(day: day)
    }
    try await end(fields)
    try await patience.wait("the end of days") { try await owner.dueDays() }
    try await habits.run()
    try await patience.wait("the count of points and views") { try await owner.uncounted() }
    try await team.run()
    try await patience.wait("the achievement-check") { try await owner.dueChecks() }
    try await readers.run()
    try await tokens("At the end")
    try await books(fields)
  }

  /// The daemon exchanges codes, and refreshes tokens before they end.
  private func tokens(_ when: String) async throws {
    guard let provider = owner.provider else { return }
    try await freshTokens()
    let (fresh, lost) = try await owner.connections()
    let report = try await provider.report()
    show(
      "\n\(when): \(fresh) connections have a token that lasts, \(lost) are lost. The provider has exchanged "
        + "\(report.exchanges) codes and given \(report.rotations) new tokens.")
    guard lost == 0, report.refusedGrants == 0, report.parallel == 0 else {
      throw Exit(.bug, "a connection was lost, or two calls were made for one athlete at once")
    }
  }

  /// The daemon's calendar makes the races; nobody asks for them.
  private func open() async throws -> [Field] {
    try await patience.wait("the race calendar") { try await owner.regularRaces() > 0 ? 0 : 1 }
    show(
      "\nFriday 28 March 2031. The race calendar has made the \(try await owner.regularRaces()) races that run or start"
    )
    show(
      "within two days: 4 types, 8 categories, by days, weeks and months of London. The story is of \(DemoRace.all.count):"
    )
    var fields: [Field] = []
    for race in DemoRace.all {
      let id = try await app.find(race)
      fields.append(Field(race: race, id: id, athletes: []))
      show("  race \(id)  \(race.title), entry \(Pence(race.feePence))")
    }
    return fields
  }

  /// Everybody signs up, connects, pays in, and enters once the provider has taken their code.
  private func fill(_ fields: inout [Field], _ people: inout DemoPeople) async throws {
    show("\nThe races fill:")
    for index in fields.indices {
      let race = fields[index].race
      for _ in 0..<race.entries {
        let name = people.name(gender: race.gender)
        let athlete = try await app.createAthlete(
          name: name, birthday: people.birthday(in: race.bornIn), gender: race.gender)
        try await app.connect(athlete, code: owner.provider?.authorize(athlete))
        try await app.deposit(athlete, pence: Int64(people.number(in: 16...40)) * 100)
        fields[index].athletes.append((athlete, name))
      }
      try await freshTokens()
      for athlete in fields[index].athletes { try await app.enter(athlete.id, race: fields[index].id) }
      let view = try await app.race(fields[index].id)
      show(
        "  race \(fields[index].id)  \(columns(view.entries, 4)) entries, \(columns(Pence(view.gross), 9)) in fees, "
          + "\(columns(Pence(view.pool), 9)) to win  \(race.title)")
    }
  }

  /// Outings of Saturday and Sunday, imported as they are finished; the leaderboards live.
  private func paddle(
    _ fields: [Field], _ people: inout DemoPeople, others: (_ day: Int) async throws -> Void
  ) async throws {
    var stravaId = 9_000_000
    let days = [("2031-03-29", "Saturday"), ("2031-03-30", "Sunday (23 hours long in Britain)")]
    for (number, (day, title)) in days.enumerated() {
      try await owner.setClock("\(day)T09:00:00Z")
      try await others(number + 1)
      try await owner.setClock("\(day)T12:00:00Z")
      var outings = 0
      for field in fields where field.race.isPaddled && (day == "2031-03-30" || field.race.duration != "daily") {
        for athlete in field.athletes where people.chance(70) {
          stravaId += 1
          let minute = people.number(in: 10...59)
          let outing = people.outing(stravaId: stravaId, startDate: "\(day)T0\(people.number(in: 5...8)):\(minute):00Z")
          try await app.importActivity(athlete.id, outing)
          outings += 1
        }
      }
      try await patience.wait("validation") { try await owner.pendingActivities() }
      show("\n\(title): \(outings) activities came in and were verified. Leaders:")
      for field in fields {
        let leaders = try await app.leaderboard(field.id, max: 3).map { rank, name, score in
          "\(rank). \(name) \(field.race.shown(score: score))"
        }
        show("  race \(field.id)  " + (leaders.isEmpty ? "nobody has a score yet" : leaders.joined(separator: "   ")))
      }
    }
  }

  /// Races end, wait an hour for late results, and are paid.
  private func end(_ fields: [Field]) async throws {
    for (end, due) in [
      ("2031-03-30T23:00:00Z", "2031-03-31T00:00:00Z"), ("2031-03-31T23:00:00Z", "2031-04-01T00:00:00Z"),
    ] {
      let ending = fields.filter { $0.race.endsAt == end }
      try await owner.setClock(end)
      for field in ending {
        try await patience.wait("the end of race \(field.id)") {
          try await app.status(field.id) == "ended" ? 0 : 1
        }
      }
      try await freshTokens()
      show(
        "\n\(end): ended: " + ending.map { "race \($0.id)" }.joined(separator: ", ") + ". Results count for an hour.")
      if let only = ending.first, ending.count == 1 {
        let crash = DemoCrash(daemon: daemon, app: app, owner: owner, patience: patience, show: show)
        try await crash.kill(paying: only.id) {
          try await owner.setClock(due)
          try await freshTokens()
        }
      } else {
        try await owner.setClock(due)
      }
      for field in ending {
        try await patience.wait("the settlement of race \(field.id)") {
          try await app.status(field.id) == "settled" ? 0 : 1
        }
        try await result(field)
      }
    }
  }

  private func freshTokens() async throws {
    guard owner.provider != nil else { return }
    try await patience.wait("the tokens") { try await owner.dueTokens() }
  }

  private func result(_ field: Field) async throws {
    let view = try await app.race(field.id)
    show("\nRace \(field.id) is settled: \(field.race.title)")
    guard view.outcome == "paid" else {
      show("  Nobody scored: the race is void, and all \(view.entries) fees went back in full.")
      return
    }
    show(
      "  \(view.entries) fees are \(Pence(view.gross)): \(Pence(view.platformFee)) to the platform, "
        + "\(Pence(view.pool)) to the winners")
    let names = Dictionary(field.athletes.map { ($0.id, $0.name) }) { first, _ in first }
    for (place, athlete, pence) in try await app.payouts(field.id) {
      let balance = Pence(try await app.balance(athlete))
      show(
        "  \(place).  \(columns(Pence(pence), 9))  \(names[athlete] ?? "athlete \(athlete)") "
          + "(whose wallet now holds \(balance))")
    }
  }

  private func books(_ fields: [Field]) async throws {
    try await patience.wait("the events") { try await owner.unnumberedEvents() }
    let paidIn = Pence(-(try await owner.total("external")))
    let wallets = Pence(try await owner.total("wallet"))
    let platform = Pence(try await owner.total("platform"))
    let pools = Pence(try await owner.total("pool"))
    let ledger = try await owner.ledger()
    show("\nThe books: paid in \(paidIn) = wallets \(wallets) + platform \(platform) + open races \(pools)")
    show("  \(ledger.journals) journals, \(ledger.postings) postings, \(ledger.differences) differences")
    guard ledger.differences == 0, paidIn == (try wallets + platform + pools) else {
      throw Exit(.refused, "the books do not balance")
    }
  }

  private func columns(_ value: some CustomStringConvertible, _ width: Int) -> String {
    let text = value.description
    return String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
