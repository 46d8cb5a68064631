import Foundation

/// A quantity that a benchmark measured at several sizes.
package struct Growth: Codable, Sendable {
  /// The repetitions at one size.
  package struct Point: Codable, Sendable {
    package let size: Int
    package fileprivate(set) var values: [Double]

    package var median: Double { values.sorted().at(0.5) }
    /// The size as text: `16`, `10,000`.
    var shown: String { size < 1000 ? "\(size)" : Double(size).shown }
  }

  package let name: String
  /// The plural noun of the sizes: `entries`.
  package let noun: String
  package let unit: String
  /// The highest allowed exponent.
  package let target: Double
  /// In the order of their sizes.
  package private(set) var points: [Point] = []

  package init(name: String, noun: String, unit: String, target: Double) {
    (self.name, self.noun, self.unit, self.target) = (name, noun, unit, target)
  }

  package mutating func add(_ value: Double, at size: Int) {
    if let index = points.firstIndex(where: { $0.size == size }) {
      points[index].values.append(value)
    } else {
      points.append(Point(size: size, values: [value]))
      points.sort { $0.size < $1.size }
    }
  }

  /// The power law `factor * size^exponent` that is closest to the medians by least squares of the logarithms.
  ///
  /// Returns nil for fewer than two sizes.
  package var fit: (factor: Double, exponent: Double)? { Self.fit(points[...]) }

  private static func fit(_ points: ArraySlice<Point>) -> (factor: Double, exponent: Double)? {
    guard points.count >= 2 else { return nil }
    let logs = points.map { (x: log(Double($0.size)), y: log(Swift.max($0.median, .leastNormalMagnitude))) }
    let count = Double(logs.count)
    let (x, y) = (logs.map(\.x).reduce(0, +) / count, logs.map(\.y).reduce(0, +) / count)
    let exponent =
      logs.map { ($0.x - x) * ($0.y - y) }.reduce(0, +) / logs.map { ($0.x - x) * ($0.x - x) }.reduce(0, +)
    return (exp(y - exponent * x), exponent)
  }

  /// A figure for each size, and two exponents: of all sizes, and of the last two.
  package var figures: [Figure] {
    let sizes = points.map { point in
      Figure(name: "\(name): \(point.shown) \(noun)", unit: unit, values: point.values)
    }
    guard let fit, let last = Self.fit(points.suffix(2)) else { return sizes }
    return sizes + [
      Figure(name: "\(name): exponent", unit: "", values: [fit.exponent], target: target),
      // A fit over all sizes hides a cost that begins with the largest one.
      Figure(name: "\(name): exponent between the last two sizes", unit: "", values: [last.exponent]),
    ]
  }
}
