import Money
import Postgres

/// The entries of a batch of races, as they came from the database.
struct EntryTable {
  private struct Entry {
    let id: Int64
    let athleteId: Int64
    let enteredAt: Timestamp
    let fee: Int64
  }

  private var byRace: [Int64: [Entry]] = [:]

  init(_ rows: Rows) throws(PostgresError) {
    let races = try rows.decode(Int64.self, [Int64].self, [Int64].self, [Timestamp].self, [Int64].self)
    for (race, ids, athletes, enteredAt, fees) in races {
      byRace[race] = ids.indices.map {
        Entry(id: ids[$0], athleteId: athletes[$0], enteredAt: enteredAt[$0], fee: fees[$0])
      }
    }
  }

  func ofRace(_ race: Int64, candidates: [Int64: [Candidate]], type: RaceType) -> [EntryInput] {
    (byRace[race] ?? []).map { entry in
      let own = candidates[entry.id] ?? []
      let hi = Best(of: own, type: type)
      let lo = own.contains(where: \.isHeld) ? Best(of: own.filter { !$0.isHeld }, type: type) : hi
      return EntryInput(
        id: entry.id, athleteId: entry.athleteId, enteredAt: entry.enteredAt, fee: Pence(entry.fee), lo: lo, hi: hi)
    }
  }

  /// The held activities that would count with a score better than their athlete's best of those that are not.
  func held(ofRace race: Int64, candidates: [Int64: [Candidate]], type: RaceType) -> [HeldActivity] {
    (byRace[race] ?? []).flatMap { entry in
      guard let own = candidates[entry.id], own.contains(where: \.isHeld) else { return [HeldActivity]() }
      let lo = Best(of: own.filter { !$0.isHeld }, type: type)
      return own.filter { held in held.isHeld && lo.map { type.isBetter(held.score, than: $0.score) } ?? true }
        .map { HeldActivity(id: $0.activityId, athleteId: entry.athleteId) }
    }
  }
}
