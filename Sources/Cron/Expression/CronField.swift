/// One field of a cron expression: the numbers that it allows.
struct CronField: Sendable, Hashable {
  private let bits: UInt64
  /// Written with a star in front: `*`, and as in Debian's cron `*/2` too.
  let startsWithStar: Bool

  func contains(_ number: Int) -> Bool {
    bits & (1 << UInt64(number)) != 0
  }

  /// How many numbers are allowed.
  var count: Int { bits.nonzeroBitCount }

  /// How many allowed numbers lie from one to another, both included.
  func count(from low: Int, through high: Int) -> Int {
    (low...high).filter(contains).count
  }

  /// The least allowed number that is not below `number`.
  func first(from number: Int) -> Int? {
    guard number < 64 else { return nil }
    let rest = bits & (UInt64.max << UInt64(max(0, number)))
    return rest == 0 ? nil : rest.trailingZeroBitCount
  }

  /// The greatest allowed number that is not above `number`.
  func last(through number: Int) -> Int? {
    guard number >= 0 else { return nil }
    let rest = number >= 63 ? bits : bits & ((1 << UInt64(number + 1)) - 1)
    return rest == 0 ? nil : 63 - rest.leadingZeroBitCount
  }

  /// Reads `*`, numbers, names, ranges, steps and lists of them; `position` is that of the text's first character.
  init(_ text: Substring, as kind: CronFieldKind, position: Int) throws(ScheduleError) {
    var bits: UInt64 = 0
    var start = position
    for item in text.split(separator: ",", omittingEmptySubsequences: false) {
      let reader = CronItemReader(kind: kind)
      for number in try reader.numbers(item, position: start) {
        // Sunday is 0 and 7.
        bits |= 1 << UInt64(kind == .weekday ? number % 7 : number)
      }
      start += item.count + 1
    }
    self.bits = bits
    startsWithStar = text.hasPrefix("*")
  }
}

/// Reads one item of a field's list: `*`, `7`, `mon-fri`, `*/10`, `8-18/2`, `5/15`.
private struct CronItemReader {
  let kind: CronFieldKind

  func numbers(_ item: Substring, position: Int) throws(ScheduleError) -> StrideThrough<Int> {
    let parts = item.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let range = try range(parts[0], position: position, isStepped: parts.count == 2)
    guard parts.count == 2 else { return stride(from: range.lowerBound, through: range.upperBound, by: 1) }
    let place = position + parts[0].count + 1
    guard let step = Self.number(parts[1]), step > 0 else {
      throw ScheduleError(
        .cron, position: place, "the step of the \(kind.rawValue) field must be a whole number greater than 0")
    }
    return stride(from: range.lowerBound, through: range.upperBound, by: step)
  }

  /// A single number with a step runs to the field's end.
  private func range(_ text: Substring, position: Int, isStepped: Bool) throws(ScheduleError) -> ClosedRange<Int> {
    if text == "*" { return kind == .weekday ? 0...6 : kind.bounds }
    let ends = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    let low = try value(ends[0], position: position)
    guard ends.count == 2 else {
      return low...(isStepped ? max(low, kind == .weekday ? 6 : kind.bounds.upperBound) : low)
    }
    let place = position + ends[0].count + 1
    let high = try value(ends[1], position: place)
    guard low <= high else {
      let hint = kind == .weekday && high == 0 ? ": at the end of a range, Sunday is 7" : ""
      throw ScheduleError(.cron, position: place, "the range of the \(kind.rawValue) field is reversed\(hint)")
    }
    return low...high
  }

  private func value(_ text: Substring, position: Int) throws(ScheduleError) -> Int {
    guard !text.isEmpty else {
      throw ScheduleError(.cron, position: position, "the \(kind.rawValue) field is missing a number")
    }
    if let named = kind.number(named: String(text)) { return named }
    guard let number = Self.number(text) else {
      throw ScheduleError(.cron, position: position, "\"\(text.prefix(20))\" is not a \(kind.rawValue)")
    }
    guard kind.bounds.contains(number) else {
      let (low, high) = (kind.bounds.lowerBound, kind.bounds.upperBound)
      throw ScheduleError(
        .cron, position: position, "the \(kind.rawValue) is \(low) to \(high), not \(text.prefix(20))")
    }
    return number
  }

  private static func number(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.utf8.count <= 9, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return Int(text)
  }
}
