/// Maps values to places; values outside of the domain stand at its edge.
package struct Scale: Sendable {
  private let low: Double
  private let high: Double
  private let start: Double
  private let end: Double

  /// `domain`: may be empty or reversed; then each value stands at the start.
  package init(_ low: Double, _ high: Double, to start: Double, _ end: Double) {
    (self.low, self.high, self.start, self.end) = (low, high, start, end)
  }

  package func callAsFunction(_ value: Double) -> Double {
    guard high > low, value.isFinite else { return start }
    return start + (end - start) * (Swift.min(high, Swift.max(low, value)) - low) / (high - low)
  }

  package func callAsFunction(_ value: Int64) -> Double { self(Double(value)) }
}
