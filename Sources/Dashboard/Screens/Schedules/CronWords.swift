/// What can be known of a cron line without its parser.
enum CronWords {
  /// Whether both the day of the month and the weekday are given: then either does, as POSIX has it.
  static func hasBothDays(_ cron: String) -> Bool {
    let fields = cron.split(separator: " ")
    guard fields.count == 5 || fields.count == 6 else { return false }
    return !fields[fields.count - 3].hasPrefix("*") && !fields[fields.count - 1].hasPrefix("*")
  }

  /// The character, counted from 1, that a refusal names: `(at character 4)`.
  static func position(in text: String) -> Int? {
    let words = text.split { " ()".contains($0) }
    guard let index = words.lastIndex(of: "character"), index + 1 < words.count else { return nil }
    return Int(words[index + 1])
  }
}
