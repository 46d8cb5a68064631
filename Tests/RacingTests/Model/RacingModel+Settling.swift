extension RacingModel {
  private func candidates(_ race: Race) -> [Activity] {
    let entered = Set(race.entries.filter { $0.status == "entered" && !isOut($0) }.map(\.athlete))
    return activities.values.filter {
      entered.contains($0.athlete) && $0.cameInTime && $0.isThere && ($0.status == .verified || $0.isHeld)
    }
  }

  private func runners(_ race: Race, _ status: String, counting: Set<Int64>) -> [ModelPrizes.Runner] {
    race.entries.filter { $0.status == status && !isOut($0) }.map { entry in
      let own = activities.values.filter { $0.athlete == entry.athlete && counting.contains($0.id) }
      return ModelPrizes.Runner(
        entry: entry.id, merit: own.map { race.isSpeed ? $0.speed : $0.distance }.max(), fee: race.fee,
        order: entry.order)
    }
  }

  /// By brute force: whether some combination of "each held activity counts, or does not" and "each athlete with a
  /// claim is the slowest, the fastest, or has none" changes a payout.
  func waits(_ race: Race) -> Bool {
    let all = candidates(race)
    let held = isHoldOver ? [] : all.filter { $0.isHeld }.map(\.id)
    let certain = Set(all.filter { !$0.isHeld }.map(\.id))
    let claims = claims(holding: race, isVoid: certain.isEmpty).map(\.athlete)
    var payouts: Set<[Int64: Int64]> = []
    for combination in 0..<(1 << held.count) {
      let counting = held.indices.filter { combination & (1 << $0) != 0 }.map { held[$0] }
      let runners = runners(race, "entered", counting: certain.union(counting))
      for outcome in outcomes(of: runners, claims: claims, race) {
        payouts.insert(ModelPrizes.split(outcome)?.prizes ?? [:])
      }
      if payouts.count > 1 { return true }
    }
    return false
  }

  private func outcomes(
    of runners: [ModelPrizes.Runner], claims athletes: [Int64], _ race: Race
  ) -> [[ModelPrizes.Runner]] {
    var all = [runners]
    for athlete in athletes {
      let entry = race.entries.first { $0.athlete == athlete }?.id
      for runners in all {
        guard let index = runners.firstIndex(where: { $0.entry == entry }) else { continue }
        for merit in [1, Int64.max] {
          var outcome = runners
          outcome[index].merit = max(merit, runners[index].merit ?? 0)
          all.append(outcome)
        }
      }
    }
    return all
  }

  mutating func first(_ race: inout Race) {
    let all = candidates(race)
    race.held = Set(all.filter { $0.isHeld }.map(\.id))
    race.counted = Set(all.map(\.id)).subtracting(race.held)
    race.held.formUnion(openClaims(race).map(\.id))
    race.everCounted = race.counted
    race.status = "settled"
    race.settledAt = hour
    for (athlete, net) in finish(&race, "entered") {
      // The fees of a void race go back whole; they are no gain.
      if race.isVoid { wallets[athlete, default: .init()].add(net) } else { book(net, to: athlete, race) }
    }
  }

  mutating func again(_ race: inout Race) {
    let gone = activities.values.filter { $0.status == .disqualified }.map(\.id)
    let (back, fees) = bringBack(&race)
    let counted = race.counted.union(race.late).union(back).subtracting(gone)
    guard counted != race.counted || race.entries.contains(where: { isOut($0) && $0.status == "completed" }) else {
      return correct(&race, taking: fees)
    }
    race.counted = counted
    race.everCounted.formUnion(counted)
    for index in race.entries.indices where isOut(race.entries[index]) && race.entries[index].status == "completed" {
      book(race.fee - race.entries[index].prize, to: race.entries[index].athlete, race)
      race.entries[index].status = "disqualified"
      race.entries[index].isRefunded = true
      race.entries[index].prize = 0
    }
    correct(&race, taking: fees)
  }

  /// Pays the differences to what each entry has had, less the fees that entries which are back pay again.
  private mutating func correct(_ race: inout Race, taking fees: [Int64: Int64]) {
    for (athlete, net) in finish(&race, "completed") { book(net - (fees[athlete] ?? 0), to: athlete, race) }
  }

  private mutating func book(_ net: Int64, to athlete: Int64, _ race: Race) {
    guard net != 0 else { return }
    wallets[athlete, default: .init()].book(net, of: race.id, at: hour)
  }

  /// Entries that are not out any more come back. Returns their activities that count, those that ever did and those
  /// that are verified now, and the fees by athlete. The rest may count later.
  private func bringBack(_ race: inout Race) -> (counting: Set<Int64>, fees: [Int64: Int64]) {
    var counting: Set<Int64> = []
    var fees: [Int64: Int64] = [:]
    for index in race.entries.indices where race.entries[index].status == "disqualified" {
      let entry = race.entries[index]
      guard !isOut(entry) else { continue }
      race.entries[index].status = "completed"
      race.entries[index].isRefunded = false
      fees[entry.athlete] = race.fee
      race.held.formUnion(openClaims(of: entry.athlete).map(\.id))
      for a in activities.values where a.athlete == entry.athlete && a.cameInTime && a.status != .disqualified {
        let isThere = a.isThere && !a.lateFor.contains(race.id)
        if a.status == .verified && isThere || race.everCounted.contains(a.id) {
          counting.insert(a.id)
        } else if isThere, a.status != .rejected || a.hasReview {
          race.held.insert(a.id)
        }
      }
    }
    return (counting, fees)
  }

  /// Yields the differences to what each entry has had.
  private func finish(_ race: inout Race, _ status: String) -> [(athlete: Int64, net: Int64)] {
    var nets: [(Int64, Int64)] = []
    let split = ModelPrizes.split(runners(race, status, counting: race.counted))
    for index in race.entries.indices where race.entries[index].status == status && !isOut(race.entries[index]) {
      let prize = split?.prizes[race.entries[index].id] ?? 0
      let fee = split == nil ? race.fee : 0
      nets.append((race.entries[index].athlete, prize - race.entries[index].prize + fee))
      race.entries[index].prize = prize
      race.entries[index].status = split == nil ? "refunded" : "completed"
      if split == nil { race.entries[index].isRefunded = true }
    }
    race.isVoid = split == nil
    return nets
  }
}
