/// Shades of a calendar's days.
enum CalendarView {
  /// 0 for none, 1 to 4 by quarters of the most.
  static func level(_ count: Int64, _ most: Int64) -> Int {
    guard count > 0, most > 0 else { return 0 }
    return Int(min(4, 1 + (count - 1) / ((most - 1) / 4 + 1)))
  }
}
