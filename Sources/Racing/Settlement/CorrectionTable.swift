import Money
import Postgres

/// The entries of settled races, as they came from the database.
struct CorrectionTable {
  private struct Entry {
    let id: Int64
    let athleteId: Int64
    let enteredAt: Timestamp
    let fee: Int64
    let isOut: Bool
    let standing: Standing
  }

  private var byRace: [Int64: [Entry]] = [:]

  init(_ rows: Rows) throws(PostgresError) {
    let entries = try rows.decode(
      Int64.self, Int64.self, Int64.self, Timestamp.self, Int64.self, Bool.self, Int64?.self, Int64?.self, Int64?.self,
      Int64.self)
    for (race, id, athlete, enteredAt, fee, isOut, rank, score, activity, prize) in entries {
      let standing = Standing(rank: rank.map { Int($0) }, score: score, activityId: activity, prize: Pence(prize))
      byRace[race, default: []].append(
        Entry(id: id, athleteId: athlete, enteredAt: enteredAt, fee: fee, isOut: isOut, standing: standing))
    }
  }

  func entries(of race: Int64, isOut: Bool, candidates: [Int64: [Candidate]], type: RaceType) -> [EntryInput] {
    (byRace[race] ?? []).filter { $0.isOut == isOut }.map { entry in
      let best = Best(of: candidates[entry.id] ?? [], type: type)
      return EntryInput(
        id: entry.id, athleteId: entry.athleteId, enteredAt: entry.enteredAt, fee: Pence(entry.fee), lo: best, hi: best)
    }
  }

  func standings(of race: Int64) -> [Int64: Standing] {
    Dictionary(uniqueKeysWithValues: (byRace[race] ?? []).map { ($0.id, $0.standing) })
  }
}
