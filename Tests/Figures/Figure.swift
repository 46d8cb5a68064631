import Foundation

/// One quantity that a benchmark measured, once in each repetition.
package struct Figure: Codable, Sendable {
  package let name: String
  package let unit: String
  package private(set) var values: [Double]
  /// The highest allowed median; nil for a figure that only informs.
  package let target: Double?

  package init(name: String, unit: String, values: [Double], target: Double? = nil) {
    (self.name, self.unit, self.values, self.target) = (name, unit, values, target)
  }

  package mutating func add(_ value: Double) { values.append(value) }

  package var least: Double { values.sorted().at(0) }
  package var median: Double { values.sorted().at(0.5) }
  package var greatest: Double { values.sorted().at(1) }
  package var isMet: Bool { target.map { median <= $0 } ?? true }
}

extension [Double] {
  /// The value at a part of a sorted list: 0 the least, 0.5 the median, 1 the greatest.
  package func at(_ part: Double) -> Double {
    isEmpty ? .nan : self[Int((Double(count - 1) * part).rounded(.up))]
  }
}
