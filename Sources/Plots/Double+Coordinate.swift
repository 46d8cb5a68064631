extension Double {
  /// The number with at most one decimal, within ±100,000; 0 where it is not a number.
  var coordinate: String {
    guard isFinite else { return "0" }
    let tenths = Int((Swift.min(100_000, Swift.max(-100_000, self)) * 10).rounded())
    let (whole, rest) = abs(tenths).quotientAndRemainder(dividingBy: 10)
    return (tenths < 0 ? "-" : "") + String(whole) + (rest == 0 ? "" : ".\(rest)")
  }
}
