extension RacingModel {
  private func candidates(_ race: Race) -> [Activity] {
    let entered = Set(race.entries.filter { $0.status == "entered" && !$0.isOut }.map(\.athlete))
    return activities.values.filter {
      entered.contains($0.athlete) && $0.cameInTime && ($0.status == .verified || $0.isHeld(Self.threshold))
    }
  }

  private func runners(_ race: Race, _ status: String, counting: Set<Int64>) -> [ModelPrizes.Runner] {
    race.entries.filter { $0.status == status && !$0.isOut }.map { entry in
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
    race.status = "settled"
    for (athlete, net) in finish(&race, "entered") {
      // The fees of a void race go back whole; they are no gain.
      if race.isVoid { wallets[athlete, default: .init()].add(net) } else { book(net, to: athlete, race) }
    }
  }

  mutating func again(_ race: inout Race) {
    let gone = activities.values.filter { $0.status == .disqualified }.map(\.id)
    let counted = race.counted.union(race.late).subtracting(gone)
    guard counted != race.counted || race.entries.contains(where: { $0.isOut && $0.status == "completed" }) else {
      return
    }
    race.counted = counted
    for index in race.entries.indices where race.entries[index].isOut && race.entries[index].status == "completed" {
      book(race.fee - race.entries[index].prize, to: race.entries[index].athlete, race)
      race.entries[index].status = "disqualified"
      race.entries[index].isRefunded = true
      race.entries[index].prize = 0
    }
    for (athlete, net) in finish(&race, "completed") { book(net, to: athlete, race) }
  }

  private mutating func book(_ net: Int64, to athlete: Int64, _ race: Race) {
    guard net != 0 else { return }
    wallets[athlete, default: .init()].book(net, of: race.id, at: hour)
  }

  /// Yields the differences to what each entry has had.
  private func finish(_ race: inout Race, _ status: String) -> [(athlete: Int64, net: Int64)] {
    var nets: [(Int64, Int64)] = []
    let split = ModelPrizes.split(runners(race, status, counting: race.counted))
    for index in race.entries.indices where race.entries[index].status == status && !race.entries[index].isOut {
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
