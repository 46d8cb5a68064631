extension RacingModel {
  private func candidates(_ race: Race) -> [Activity] {
    let entered = Set(race.entries.filter { $0.status == "entered" && !isOut($0) }.map(\.athlete))
    return activities.values.filter {
      entered.contains($0.athlete) && $0.cameInTime && ($0.status == .verified || $0.isHeld(Self.threshold))
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

  /// By brute force: whether some combination of "each held activity counts, or does not" changes a payout.
  func waits(_ race: Race) -> Bool {
    let all = candidates(race)
    let held = all.filter { $0.isHeld(Self.threshold) }.map(\.id)
    let certain = Set(all.filter { !$0.isHeld(Self.threshold) }.map(\.id))
    var outcomes: Set<[Int64: Int64]> = []
    for combination in 0..<(1 << held.count) {
      let counting = held.indices.filter { combination & (1 << $0) != 0 }.map { held[$0] }
      let runners = runners(race, "entered", counting: certain.union(counting))
      outcomes.insert(ModelPrizes.split(runners)?.prizes ?? [:])
      if outcomes.count > 1 { return true }
    }
    return false
  }

  mutating func first(_ race: inout Race) {
    let all = candidates(race)
    race.held = Set(all.filter { $0.isHeld(Self.threshold) }.map(\.id))
    race.counted = Set(all.map(\.id)).subtracting(race.held)
    race.everCounted = race.counted
    race.status = "settled"
    finish(&race, "entered")
  }

  mutating func again(_ race: inout Race) {
    let gone = activities.values.filter { $0.status == .disqualified }.map(\.id)
    let back = bringBack(&race)
    let counted = race.counted.union(race.late).union(back).subtracting(gone)
    guard counted != race.counted || race.entries.contains(where: { isOut($0) && $0.status == "completed" }) else {
      return finish(&race, "completed")
    }
    race.counted = counted
    race.everCounted.formUnion(counted)
    for index in race.entries.indices where isOut(race.entries[index]) && race.entries[index].status == "completed" {
      worth[race.entries[index].athlete, default: 0] += race.fee - race.entries[index].prize
      race.entries[index].status = "disqualified"
      race.entries[index].isRefunded = true
      race.entries[index].prize = 0
    }
    finish(&race, "completed")
  }

  /// Entries that are not out any more pay their fee again. Returns their activities that count: those that ever did,
  /// and those that are verified now. The rest may count later.
  private mutating func bringBack(_ race: inout Race) -> Set<Int64> {
    var counting: Set<Int64> = []
    for index in race.entries.indices where race.entries[index].status == "disqualified" {
      let entry = race.entries[index]
      guard !isOut(entry) else { continue }
      race.entries[index].status = "completed"
      race.entries[index].isRefunded = false
      worth[entry.athlete, default: 0] -= race.fee
      for a in activities.values where a.athlete == entry.athlete && a.cameInTime && a.status != .disqualified {
        if a.status == .verified || race.everCounted.contains(a.id) {
          counting.insert(a.id)
        } else if a.status != .rejected || a.hasReview {
          race.held.insert(a.id)
        }
      }
    }
    return counting
  }

  /// Pays the differences to what each entry has had.
  private mutating func finish(_ race: inout Race, _ status: String) {
    let split = ModelPrizes.split(runners(race, status, counting: race.counted))
    for index in race.entries.indices where race.entries[index].status == status && !isOut(race.entries[index]) {
      let prize = split?.prizes[race.entries[index].id] ?? 0
      worth[race.entries[index].athlete, default: 0] += prize - race.entries[index].prize
      race.entries[index].prize = prize
      race.entries[index].status = split == nil ? "refunded" : "completed"
      if split == nil { worth[race.entries[index].athlete, default: 0] += race.fee }
      if split == nil { race.entries[index].isRefunded = true }
    }
    race.isVoid = split == nil
  }
}
