import Engine
import Operations
import Postgres
import TestSupport
import Testing

@testable import Racing

/// One random history, carried out in a database and in the model step by step.
///
/// It has days of its own, so that many histories follow each other in one database; its athletes are its own.
struct History {
  let day: RaceDay
  let nodes: [JobContext]
  var random: SeededGenerator
  var model = RacingModel()
  var athletes: [Int64] = []
  var users: [Int64] = []
  /// Users whom the provider knows.
  var proved: Set<Int64> = []
  var races: [Int64] = []
  var withdrawals: [(id: Int64, athlete: Int64, pence: Int64)] = []
  var deposits: [(id: Int64, athlete: Int64, pence: Int64)] = []
  var log: [String] = []
  let base: Int
  var stravaId: Int64

  var session: Connection { day.session }

  init(_ number: Int, day: RaceDay, nodes: [JobContext], random: SeededGenerator) {
    self.day = day
    self.nodes = nodes
    self.random = random
    base = 10 * number
    stravaId = Int64(number + 1) * 1000
  }

  /// An instant so many hours after the start of this history.
  func at(_ hours: Int) async throws -> String {
    try await session.query(
      "SELECT settled.iso(timestamptz '2031-06-02 00:00:00+00' + \(Int32(base)) * interval '1 day' + \(Int32(hours)) * interval '1 hour')"
    ).one(String.self)
  }

  private mutating func pass(_ hours: Int) async throws {
    log.append("pass \(hours)")
    try await day.course.setClock(at(hours))
    try await run { JobRunner(LifecycleJob(), in: $0) }
    model.hour = hours
    model.hasEnded = hours >= 48
    model.isDue = hours >= 49
    model.isHoldOver = hours >= 49 + 72
  }

  /// Both nodes at once, the second of which fails now and then; then the first until nothing is due. (The server lets
  /// go of a lost connection's rows when it notices, and until then they are passed over.)
  private func run(_ job: @escaping @Sendable (JobContext) -> any Work) async throws {
    let nodes = nodes
    await withTaskGroup(of: Void.self) { group in
      for node in nodes { group.addTask { _ = await job(node).runDue(until: StopFlag(), due: .zero) } }
    }
    let (work, session) = (job(nodes[0]), session)
    try await untilTrue("the end of what is due") {
      try await work.runAllDue()
      return try await work.overdue(session) == 0
    }
  }

  /// Sets how long prizes rest, which every withdrawal reads.
  private mutating func setRest() async throws {
    model.rest = [0, 24, 72, 72].randomElement(using: &random) ?? 72
    try await session.execute("SELECT settled.set('racing.prize_rest', \("\(model.rest)h"))")
    log.append("rest \(model.rest)")
  }

  mutating func live(steps: Int) async throws {
    try await setRest()
    try await setProof(Bool.random(using: &random))
    try await setClaimHold()
    try await pass(0)
    for index in 0..<Int.random(in: 3...5, using: &random) {
      let pence = Int64.random(in: 100...2000, using: &random)
      athletes.append(try await day.course.athlete("Athlete \(base) \(index)", pence: pence))
      model.wallets[athletes[index], default: .init()].add(pence)
    }
    try await meetUsers()
    let (start, end) = (try await at(24), try await at(48))
    for index in 0..<Int.random(in: 1...2, using: &random) {
      let isSpeed = Bool.random(using: &random)
      let isDaily = index == 0
      let id = try await day.course.race(
        type: isSpeed ? "top_speed" : "furthest_distance", duration: isDaily ? "daily" : "weekly", from: start, to: end)
      races.append(id)
      model.races[id] = .init(id: id, isSpeed: isSpeed, fee: isDaily ? 100 : 499)
    }
    for athlete in athletes { for race in races { try await enter(athlete, race) } }
    var hours = 36
    try await pass(hours)
    for athlete in athletes where Int.random(in: 0..<4, using: &random) > 0 { try await importNew(athlete) }
    for _ in 0..<2 { try await claim() }
    for _ in 0..<steps {
      if Int.random(in: 0..<6, using: &random) == 0 {
        let next =
          [hours, max(hours, 48), max(hours, 49), max(hours, 51), max(hours, 53), max(hours, 60), max(hours, 121)]
          .randomElement(using: &random)
          ?? hours
        // Claims of the last hours may be proved after the settlement.
        if hours < 49, next >= 49 { for _ in 0..<2 { try await claim() } }
        hours = next
        try await pass(hours)
      }
      try await step()
    }
    // Settled, paid, and some of it taken out; then the decisions that come too late.
    hours = max(hours, [60, 121, 121].randomElement(using: &random) ?? 121)
    try await pass(hours)
    for _ in 0..<18 {
      if Int.random(in: 0..<4, using: &random) == 0 {
        hours += [1, 24, 71, 72].randomElement(using: &random) ?? 1
        if hours < 235 { try await pass(hours) }
      }
      switch Int.random(in: 0..<19, using: &random) {
      case 17..<19: try await delete()
      case 12..<16: try await answer()
      case 16: try await claim()
      case 0: try await withdraw()
      case 1..<3: try await withdraw(all: true)
      case 3..<5: try await decide("disqualify")
      case 5: try await decide()
      case 6: try await flag()
      case 7: try await deposit()
      case 8: try await setRest()
      case 9...10: try await overrule()
      default: try await settle()
      }
    }
    for _ in 0..<2 { try await validate(); try await settle() }
  }

  private mutating func step() async throws {
    switch Int.random(in: 0..<31, using: &random) {
    case 29..<31: try await delete()
    case 20...21: try await overrule()
    case 22..<26: try await claim()
    case 26..<28: try await answer()
    case 28: try await disturbClaims()
    case 0..<2: try await importNew(try #require(athletes.randomElement(using: &random)))
    case 2: try await reimport()
    case 3..<5: try await validate()
    case 5..<9: try await flag()
    case 9: try await escalate()
    case 10..<14: try await decide()
    case 14..<17: try await settle()
    case 17: try await withdraw()
    case 18: try await endWithdrawal()
    default:
      switch Int.random(in: 0..<4, using: &random) {
      case 0: try await cancel()
      case 1: try await reverse()
      case 2: try await deposit()
      default:
        try await enter(
          try #require(athletes.randomElement(using: &random)), try #require(races.randomElement(using: &random)))
      }
    }
  }

  /// Returns whether the call was refused.
  func isRefused(_ statement: Statement) async throws -> Bool {
    try await session.refusal(of: statement) != nil
  }

  private mutating func enter(_ athlete: Int64, _ race: Int64) async throws {
    let entry: Int64
    do {
      entry = try await session.query("SELECT racing.enter_race(\(athlete), \(race))").one(Int64.self)
    } catch {
      guard Refusal(error) != nil else { throw error }
      return
    }
    log.append("enter \(athlete) \(race)")
    guard let known = model.races[race] else { return }
    model.happened += 1
    model.races[race]?.entries.append(
      .init(
        id: entry, athlete: athlete, order: known.entries.count, enteredAt: model.hour, enteredAs: model.happened))
    model.wallets[athlete, default: .init()].add(-known.fee)
  }

  private mutating func importNew(_ athlete: Int64) async throws {
    guard model.activities.count < (model.provesUsers ? 6 : 9) else { return }
    stravaId += 1
    let (speed, distance) = (Int64.random(in: 1...4, using: &random), Int64.random(in: 1...4, using: &random))
    let isBad = Int.random(in: 0..<8, using: &random) == 0
    let id = try await day.course.outing(
      athlete, stravaId: stravaId, at: at(25), maxSpeed: "\(speed)", distance: "\(distance)000",
      type: isBad ? "Running" : "Kayaking")
    model.activities[id] = .init(
      id: id, athlete: athlete, speed: speed * 1000, distance: distance * 100_000, isBad: isBad,
      cameInTime: !model.isDue, importedAt: model.hour)
    strava[id] = stravaId
    log.append("import \(id) of \(athlete): \(speed) \(distance)\(isBad ? " bad" : "")")
  }

  var strava: [Int64: Int64] = [:]

  private mutating func reimport() async throws {
    guard let id = model.activities.keys.sorted().randomElement(using: &random), let a = model.activities[id] else {
      return
    }
    let (speed, distance) = (Int64.random(in: 5...8, using: &random), Int64.random(in: 5...8, using: &random))
    guard a.speed != speed * 1000 || a.distance != distance * 100_000 else { return }
    let place = #"{"latitude": 54.3626, "longitude": -2.9206}"#
    let content = JSON(
      text: """
        {"stravaId": \(strava[id] ?? 0), "name": "Paddle", "activityType": "\(a.isBad ? "Running" : "Kayaking")",
         "startDate": "\(try await at(25))", "elapsedTime": 1800, "movingTime": 1800, "distance": \(distance)000,
         "maxSpeed": \(speed), "startLocation": \(place), "endLocation": \(place), "polyline": "mock"}
        """)
    let isRefused = try await isRefused("SELECT racing.import_activity(\(a.athlete), \(content))")
    let isAllowed = model.update(id, speed: speed * 1000, distance: distance * 100_000)
    log.append("update \(id): \(speed) \(distance) allowed \(isAllowed)")
    #expect(isRefused != isAllowed, "\(self)")
  }

  private mutating func flag() async throws {
    guard let activity = model.activities.keys.sorted().randomElement(using: &random),
      let user = users.randomElement(using: &random)
    else { return }
    let isRefused = try await isRefused("SELECT racing.flag_activity(\(activity), \(user), 'other')")
    let isAllowed = model.flag(activity, by: user, isProved: proved.contains(user))
    log.append("flag \(activity) by \(user) allowed \(isAllowed)")
    #expect(isRefused != isAllowed, "\(self)")
  }

  private mutating func decide(_ only: String? = nil) async throws {
    guard let activity = model.activities.keys.sorted().randomElement(using: &random),
      let decision = only ?? ["approve", "approve", "disqualify", "request_info"].randomElement(using: &random)
    else { return }
    let isRefused = try await isRefused("SELECT racing.review_activity(\(activity), \(decision), 'mod', 'because')")
    let isAllowed = model.decide(activity, decision)
    log.append("\(decision) \(activity) allowed \(isAllowed)")
    #expect(isRefused != isAllowed, "\(self)")
  }

  private mutating func overrule() async throws {
    // Most often one that is out, so that many entries come back.
    let out = model.activities.values.filter { $0.status == .disqualified }.map(\.id).sorted()
    let some = out.isEmpty || Int.random(in: 0..<3, using: &random) == 0 ? model.activities.keys.sorted() : out
    guard let activity = some.randomElement(using: &random),
      let decision = ["approve", "approve", "disqualify"].randomElement(using: &random),
      let athlete = model.activities[activity]?.athlete, !model.isAmbiguous(athlete)
    else { return }
    let isRefused = try await isRefused("SELECT racing.overrule_review(\(activity), \(decision), 'uid 0', 'seen')")
    let isAllowed = model.overrule(activity, decision)
    log.append("overrule \(activity) \(decision) allowed \(isAllowed)")
    #expect(isRefused != isAllowed, "\(self)")
  }

  private mutating func validate() async throws {
    log.append("validate")
    try await run { JobRunner(ValidationJob(), in: $0) }
    model.validate()
  }

  private mutating func escalate() async throws {
    log.append("escalate")
    try await run { JobRunner(EscalationJob(), in: $0) }
    model.escalate()
  }

  private mutating func settle() async throws {
    log.append("settle")
    try await run { JobRunner(SettlementJob(), in: $0) }
    model.settle()
  }

  private mutating func cancel() async throws {
    guard let race = races.randomElement(using: &random) else { return }
    var isRefused = false
    do {
      try await day.cancel(race)
    } catch is CommandError {
      isRefused = true
    }
    let isAllowed = model.cancel(race)
    log.append("cancel \(race) allowed \(isAllowed)")
    #expect(isRefused != isAllowed, "\(self)")
  }

  private mutating func deposit() async throws {
    guard let athlete = athletes.randomElement(using: &random) else { return }
    let pence = Int64.random(in: 1...500, using: &random)
    let id = try await session.query(
      "SELECT (racing.deposit(\(athlete), \(pence), \("d\(log.count)"))->>'id')::bigint"
    ).one(Int64.self)
    deposits.append((id, athlete, pence))
    model.wallets[athlete, default: .init()].add(pence)
    log.append("deposit \(pence) of \(athlete)")
  }

  private mutating func reverse() async throws {
    guard let deposit = deposits.popLast() else { return }
    _ = try await session.query("SELECT racing.reverse_deposit(\(deposit.id), 'stolen')")
    model.wallets[deposit.athlete, default: .init()].take(deposit.pence)
    log.append("reverse \(deposit.pence) of \(deposit.athlete)")
  }

  private mutating func withdraw(all: Bool = false) async throws {
    guard let athlete = athletes.randomElement(using: &random) else { return }
    let wallet = model.wallets[athlete] ?? .init()
    let free = wallet.balance - wallet.resting(model.rest, at: model.hour)
    let some = [free, free + 1, wallet.balance, Int64.random(in: 1...max(1, wallet.balance + 100), using: &random)]
    let pence = max(1, all ? wallet.balance : some.randomElement(using: &random) ?? 1)
    let expected = wallet.refusal(of: pence, resting: model.rest, at: model.hour)
    log.append("withdraw \(pence) of \(athlete): \(expected ?? "allowed")")
    do {
      let id = try await session.query(
        "SELECT (racing.withdraw(\(athlete), \(pence), \("w\(log.count)"))->>'id')::bigint"
      ).one(Int64.self)
      #expect(expected == nil, "\(self)")
      withdrawals.append((id, athlete, pence))
      model.wallets[athlete, default: .init()].add(-pence)
    } catch {
      guard let refusal = Refusal(error) else { throw error }
      #expect(refusal.rule == expected, "\(self)")
      guard refusal.rule == "resting", let first = wallet.firstHour(for: pence, resting: model.rest, from: model.hour)
      else { return }
      let until = try await at(first)
      #expect(error.detail?.contains(until) == true, "\(until): \(error), \(self)")
    }
  }

  private mutating func endWithdrawal() async throws {
    guard let withdrawal = withdrawals.popLast() else { return }
    if Bool.random(using: &random) {
      _ = try await session.query("SELECT racing.complete_withdrawal(\(withdrawal.id))")
    } else {
      _ = try await session.query("SELECT racing.fail_withdrawal(\(withdrawal.id), 'bank')")
      model.wallets[withdrawal.athlete, default: .init()].giveBack(withdrawal.pence)
      log.append("fail \(withdrawal.pence) of \(withdrawal.athlete)")
    }
  }

  /// Compares everything that the model knows.
  func check() async throws {
    for athlete in athletes {
      let wallet = model.wallets[athlete] ?? .init()
      #expect(try await day.course.worth(athlete) == wallet.worth, "athlete \(athlete), \(self)")
      let resting = try await session.query("SELECT (racing.wallet(\(athlete)) ->> 'restingPence')::bigint")
        .one(Int64.self)
      #expect(resting == wallet.resting(model.rest, at: model.hour), "athlete \(athlete), \(self)")
    }
    for race in model.races.values {
      #expect(try await day.course.status(race.id) == (race.status == "open" ? "ended" : race.status), "\(self)")
      for entry in race.entries {
        let found = try await session.query("SELECT status, prize_pence FROM racing.entry WHERE id = \(entry.id)")
          .one(String.self, Int64.self)
        #expect(found == (entry.status, entry.prize), "entry \(entry.id) of race \(race.id), \(self)")
      }
    }
    let open = try await session.query(
      "SELECT id FROM racing.claim WHERE rejected_at IS NULL AND athlete_id = ANY(\(athletes)) ORDER BY id"
    ).decode(Int64.self)
    #expect(open == model.claims.values.filter(\.isOpen).map(\.id).sorted(), "\(self)")
    for activity in model.activities.values {
      #expect(try await day.course.activityStatus(activity.id) == activity.status.rawValue, "\(self)")
    }
  }
}

extension History: CustomStringConvertible {
  var description: String { "\(random) history \(base / 10): " + log.joined(separator: "; ") }
}
