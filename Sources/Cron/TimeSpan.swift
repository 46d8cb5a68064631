/// A length of time as operators write it: `500ms 30s 10m 6h 14d`.
package enum TimeSpan {
  /// In the largest unit that leaves no rest; whole milliseconds.
  package static func text(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
    for (unit, length) in [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000)] as [(String, Int64)]
    where milliseconds != 0 && milliseconds % length == 0 {
      return "\(milliseconds / length)\(unit)"
    }
    return milliseconds == 0 ? "0s" : "\(milliseconds)ms"
  }

  /// In the largest unit of which there are two at least, cut to a whole number: `90s`, `2m`, `47h`, `70d`.
  package static func rough(_ duration: Duration) -> String {
    let seconds = duration.components.seconds
    for (unit, length) in [("d", 86_400), ("h", 3600), ("m", 60)] as [(String, Int64)] where seconds >= 2 * length {
      return "\(seconds / length)\(unit)"
    }
    return "\(seconds)s"
  }
}
