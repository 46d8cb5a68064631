import FoundationEssentials
import TextCoding

/// A page of the provider's list of activities. Each is read separately: an unreadable one affects no other.
struct ActivityPage: Sendable {
  static let sizeMax = 100

  /// In the keys of an import, without streams.
  let activities: [JSONValue]
  /// How many cannot be read.
  let unreadable: Int
  /// Whether there may be another page.
  let isFull: Bool

  /// Nil where the answer is no list.
  init?(_ body: [UInt8]) {
    guard let items = try? ActivitySummary.decoder.decode([Loose<ActivitySummary>].self, from: Data(body)) else {
      return nil
    }
    let first = items.prefix(Self.sizeMax)
    activities = first.compactMap { $0.value?.json }
    unreadable = first.count - activities.count
    isFull = items.count >= Self.sizeMax
  }

  private init() { (activities, unreadable, isFull) = ([], 0, false) }

  static let empty = ActivityPage()
}
