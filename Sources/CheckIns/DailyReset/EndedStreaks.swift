/// How far the ending of one day's streaks has got: how many have ended, and the last of them in the order of
/// `streak_to_end`.
package struct EndedStreaks: Hashable, Sendable {
  package let count: Int64
  /// The `ends_on` of the last one, as text: before the first it is `-infinity`.
  let date: String
  let id: Int64

  /// Nothing has ended yet.
  package static let none = EndedStreaks(count: 0, date: "-infinity", id: 0)

  init(count: Int64, date: String, id: Int64) {
    self.count = count
    self.date = date
    self.id = id
  }

  func adding(_ count: Int64, through date: String, _ id: Int64) -> EndedStreaks {
    EndedStreaks(count: self.count + count, date: date, id: id)
  }
}
