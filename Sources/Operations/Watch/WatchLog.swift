/// The newest happenings of a node, numbered, for all its watchers: pure.
struct WatchLog {
  struct Page: Equatable {
    var happenings: [Happening] = []
    /// The number of the first happening after the page.
    var next: Int
    /// Whether some before the page are no longer kept.
    var isIncomplete: Bool
  }

  static let keptMax = 10_000
  static let pageMax = 1_000

  private var kept: [Happening] = []
  /// The number of the oldest one kept.
  private var first = 0

  /// The number of the next happening.
  var end: Int { first + kept.count }

  mutating func append(_ new: [Happening]) {
    kept += new
    let excess = kept.count - Self.keptMax
    guard excess > 0 else { return }
    kept.removeFirst(excess)
    first += excess
  }

  /// The happenings from a number on, of one job or schedule or of all.
  func page(from number: Int, job: String?) -> Page {
    var page = Page(next: max(number, first), isIncomplete: number < first)
    while page.next < end, page.happenings.count < Self.pageMax {
      let happening = kept[page.next - first]
      if job == nil || happening.job == job { page.happenings.append(happening) }
      page.next += 1
    }
    return page
  }
}
