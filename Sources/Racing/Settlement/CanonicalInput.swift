import Money
import Postgres

extension SettlementInput {
  /// The inputs as a text that is equal for equal inputs, regardless of the order in which they were read.
  ///
  /// A hash of it (the database's `sha256`) is what a dry run shows and what an expected hash is compared with. It
  /// holds what decides who is paid what; `now`, `dueAt` and the ends of holds only say when. The race has one line,
  /// each entry has one by id, and so have each held activity, each claim and
  /// each entrant who is not listed. Instants are microseconds since 1970,
  /// amounts are pence, a missing score is `-`. The first word names the format: it changes with the format.
  package var canonicalInput: String {
    var text = CanonicalText()
    text.line(
      "settlement-2 \(raceId) \(type.rawValue) \(shares) \(percent) \(entryFee.amount)")
    for entry in entries.sorted(by: { $0.id < $1.id }) { text.entry(entry) }
    for activity in held.sorted(by: { ($0.id, $0.athleteId) < ($1.id, $1.athleteId) }) {
      text.line("held \(activity.id) \(activity.athleteId)")
    }
    for claim in claims.sorted(by: { ($0.id, $0.athleteId) < ($1.id, $1.athleteId) }) {
      text.line("claim \(claim.id) \(claim.athleteId)")
    }
    for entrant in unlisted.map(\.athleteId).sorted() { text.line("unlisted \(entrant)") }
    return text.text
  }
}

/// Text written byte by byte: a herd has hundreds of thousands of numbers, and interpolation takes ten times as long.
private struct CanonicalText {
  private var bytes: [UInt8] = []

  var text: String { String(decoding: bytes, as: UTF8.self) }

  mutating func line(_ text: String) {
    bytes.append(contentsOf: text.utf8)
    bytes.append(UInt8(ascii: "\n"))
  }

  mutating func entry(_ entry: EntryInput) {
    bytes.append(contentsOf: "entry".utf8)
    for number in [entry.id, entry.athleteId, entry.enteredAt.microseconds, entry.fee.amount] {
      bytes.append(UInt8(ascii: " "))
      append(number)
    }
    for best in [entry.minScore, entry.maxScore] {
      bytes.append(UInt8(ascii: " "))
      if let best {
        append(best.score)
        bytes.append(UInt8(ascii: ":"))
        append(best.activityId)
      } else {
        bytes.append(UInt8(ascii: "-"))
      }
    }
    bytes.append(UInt8(ascii: "\n"))
  }

  private mutating func append(_ number: Int64) {
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    let start = bytes.count
    var rest = number.magnitude
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    var (left, right) = (start, bytes.count - 1)
    while left < right {
      bytes.swapAt(left, right)
      (left, right) = (left + 1, right - 1)
    }
  }
}
