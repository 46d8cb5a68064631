import Postgres
import Synchronization

/// Scores of activities that no validation has scored, each reckoned once from what was imported.
///
/// A race waits or not by these scores, and it is checked again whenever one of its activities changes. The streams of
/// the other activities are large, so they are not read again. A process keeps its own scores; new content has another
/// hash.
package final class PendingScores: Sendable {
  /// How many activities' content one transaction of the job reads: it keeps its races locked meanwhile.
  static let readMax = 64
  /// The scores that are kept, or as many as the latest races needed: some megabytes.
  static let keptMax = 20_000

  private struct Kept {
    let hash: Bytes
    let scores: Scores
  }

  private let kept = Mutex<[Int64: Kept]>([:])

  package init() {}

  /// The scores of these activities, by activity. The content of at most `readMax` activities is
  /// read; the last ones beyond that are left out.
  func scores(
    of ids: [Int64], readMax: Int = .max, in transaction: Transaction
  ) async throws -> [Int64: Scores] {
    guard !ids.isEmpty else { return [:] }
    let hashes = try await hashes(of: ids, in: transaction)
    var scores: [Int64: Scores] = [:]
    kept.withLock { kept in
      for (id, hash) in hashes where kept[id]?.hash == hash { scores[id] = kept[id]?.scores }
    }
    let unknown = Array(ids.filter { scores[$0] == nil }.prefix(readMax))
    guard !unknown.isEmpty else { return scores }
    try await ActivityContent.forEach(unknown, in: transaction) { id, input in scores[id] = Scores(input.measures) }
    // Content that changed while it was read is read again the next time.
    let after = try await self.hashes(of: unknown, in: transaction)
    keep(unknown.filter { hashes[$0] == after[$0] }, of: scores, hashes: hashes, beside: Set(ids))
    return scores
  }

  private func keep(_ new: [Int64], of scores: [Int64: Scores], hashes: [Int64: Bytes], beside asked: Set<Int64>) {
    kept.withLock { kept in
      for id in new {
        if let hash = hashes[id], let own = scores[id] { kept[id] = Kept(hash: hash, scores: own) }
      }
      if kept.count > Self.keptMax { kept = kept.filter { asked.contains($0.key) } }
    }
  }

  private func hashes(of ids: [Int64], in transaction: Transaction) async throws -> [Int64: Bytes] {
    let rows = try await transaction.query(ActivityContent.hashes(ids)).decode(Int64.self, Bytes.self)
    return Dictionary(uniqueKeysWithValues: rows.map { ($0.0, $0.1) })
  }
}
