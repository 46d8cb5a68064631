/// Numbers as people read them: all arithmetic is that of integers.
enum Amount {
  /// `£1,056.66` of 105,666 pence.
  static func pounds(_ pence: Int64) -> String {
    let (pounds, rest) = pence.magnitude.quotientAndRemainder(dividingBy: 100)
    return (pence < 0 ? "−£" : "£") + grouped(pounds) + "." + PageTime.padded(Int(rest), 2)
  }

  /// `1,204`.
  static func grouped(_ number: Int64) -> String { (number < 0 ? "−" : "") + grouped(number.magnitude) }

  private static func grouped(_ number: UInt64) -> String {
    let digits = String(number)
    return String(
      digits.enumerated().flatMap { index, digit in
        index > 0 && (digits.count - index) % 3 == 0 ? [",", digit] : [digit]
      })
  }

  /// `3k`, `14M`: for the top of a bar.
  static func short(_ number: Int64) -> String {
    switch number {
    case 10_000_000...: grouped(number / 1_000_000) + "M"
    case 1_000...: grouped(number / 1_000) + "k"
    default: grouped(number)
    }
  }

  static func counted(_ number: Int64, _ one: String, _ many: String) -> String {
    "\(grouped(number)) \(number == 1 ? one : many)"
  }

  /// `4 ms`, `1.9 s`, `3 min`, `9 h 27`, `12 d 3 h`.
  static func duration(milliseconds: Int64) -> String {
    let ms = milliseconds.magnitude
    let sign = milliseconds < 0 ? "−" : ""
    let (seconds, minutes) = (ms / 1_000, ms / 60_000)
    return sign
      + {
        switch ms {
        case ..<1_000: "\(ms) ms"
        case ..<10_000: "\(seconds).\(ms / 100 % 10) s"
        case ..<60_000: "\(seconds) s"
        case ..<3_600_000: "\(minutes) min"
        case ..<172_800_000: "\(minutes / 60) h " + PageTime.padded(Int(minutes % 60), 2)
        default: "\(grouped(minutes / 1_440)) d \(minutes / 60 % 24) h"
        }
      }()
  }

  /// `15:45.070` of milliseconds, `1:02:03` of more than an hour.
  static func clock(milliseconds: Int64) -> String {
    let ms = milliseconds.magnitude
    let (hours, minutes, seconds) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1_000 % 60)
    let head = hours > 0 ? "\(hours):" + PageTime.padded(Int(minutes), 2) : String(minutes)
    return (milliseconds < 0 ? "−" : "") + head + ":" + PageTime.padded(Int(seconds), 2) + "."
      + PageTime.padded(Int(ms % 1_000), 3)
  }

  /// A number of thousandths with three decimals: `7.800`.
  static func thousandths(_ number: Int64) -> String { decimal(number, 1_000, 3) }

  static func hundredths(_ number: Int64) -> String { decimal(number, 100, 2) }

  private static func decimal(_ number: Int64, _ unit: UInt64, _ digits: Int) -> String {
    let (whole, rest) = number.magnitude.quotientAndRemainder(dividingBy: unit)
    return (number < 0 ? "−" : "") + grouped(whole) + "." + PageTime.padded(Int(rest), digits)
  }
}
