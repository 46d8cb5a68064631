/// Decides when a run may claim in several lanes: while batches are full and nothing fails.
///
/// Source: Engine.docc/Failures.md, "Lanes".
struct Lanes: Sendable {
  /// Fewer items do not pay for another session.
  static let leastBatch = 8

  private(set) var areOpen = false
  private var isClosed = false
  /// Whether the next run claims alone too: it meets the item that failed in a lane.
  private var isNextClosed = false

  mutating func begin() { (areOpen, isClosed, isNextClosed) = (false, isNextClosed, false) }

  /// A batch has ended. `isFull`: it found all items that it may take.
  mutating func observe(isFull: Bool, count: Int) { areOpen = !isClosed && isFull && count >= Self.leastBatch }

  /// Something failed in this run.
  mutating func close() { (areOpen, isClosed) = (false, true) }

  /// A batch failed in another lane.
  mutating func fail() {
    close()
    isNextClosed = true
  }
}
