/// Round numbers for an axis.
package enum AxisTicks {
  /// At most `count` multiples of 1, 2 or 5 times a power of ten, above 0 and up to `max`.
  package static func upTo(_ max: Int64, count: Int = 4) -> [Int64] {
    guard max > 0, count > 0 else { return [] }
    let step = self.step(max, count)
    return (1...Int64(count)).map { $0.multipliedReportingOverflow(by: step) }
      .filter { !$0.overflow && $0.partialValue <= max }.map(\.partialValue)
  }

  /// 10, 100, 1,000 and so on, up to `max`.
  package static func powers(upTo max: Int64) -> [Int64] {
    var powers: [Int64] = []
    var power: Int64 = 10
    while power <= max {
      powers.append(power)
      let (next, overflow) = power.multipliedReportingOverflow(by: 10)
      if overflow { break }
      power = next
    }
    return powers
  }

  /// The multiples of a round step between two values: at most `count` of them.
  package static func between(_ low: Double, _ high: Double, count: Int = 5) -> [Double] {
    guard low.isFinite, high.isFinite, high > low, count > 0 else { return [] }
    var step = 1.0
    while (high - low) / step > Double(count) && step < 1e12 { step *= 10 }
    while (high - low) / step <= Double(count) / 10 && step > 1e-9 { step /= 10 }
    if (high - low) / (step / 5) <= Double(count) {
      step /= 5
    } else if (high - low) / (step / 2) <= Double(count) {
      step /= 2
    }
    let first = (low / step).rounded(.up)
    return (0..<count + 1).map { (first + Double($0)) * step }.filter { $0 <= high }
  }

  private static func step(_ max: Int64, _ count: Int) -> Int64 {
    var power: Int64 = 1
    while true {
      for factor: Int64 in [1, 2, 5] {
        let (step, overflow) = power.multipliedReportingOverflow(by: factor)
        if overflow { return Int64.max }
        if max / step <= Int64(count) { return step }
      }
      power *= 10
    }
  }
}
