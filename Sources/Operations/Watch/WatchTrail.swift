/// The position up to which rows with ids were read.
///
/// Ids are assigned before the commit, so a lower one may appear a little later: the rows of the last readings are read
/// again.
struct WatchTrail {
  /// Rows up to this id have been read.
  private(set) var lowest: Int64
  /// The highest ids of the last readings.
  private var recent: [Int64]
  /// Those above `lowest` that were read.
  private var known: Set<Int64> = []

  private static let readingsKept = 5

  init(after id: Int64) {
    lowest = id
    recent = [id]
  }

  /// The new rows among those read after `lowest`, in the order of their ids.
  mutating func take<Element>(_ rows: [Element], _ id: (Element) -> Int64) -> [Element] {
    let new = rows.filter { known.insert(id($0)).inserted }
    recent.append(max(rows.last.map(id) ?? 0, recent.last ?? 0))
    if rows.count == WatchStatements.rowsMax { recent = [recent[recent.count - 1]] }
    if recent.count > Self.readingsKept { recent.removeFirst() }
    lowest = recent[0]
    known = known.filter { $0 > lowest }
    return new
  }
}
