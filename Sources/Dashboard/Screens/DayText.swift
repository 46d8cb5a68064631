import Cron
import TextCoding

/// The member `day` of a row: `2031-03-30`.
enum DayText {
  /// `30 Mar`.
  static func short(_ row: JSONValue) -> String {
    CivilDate(row.shown("day")).map { "\($0.day) \($0.monthName)" } ?? row.shown("day").cut(20).isolated
  }
}
