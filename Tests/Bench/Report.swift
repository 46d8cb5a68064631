import Foundation

/// One figure, taken several times.
struct Figure: Encodable {
  let name: String
  let unit: String
  var values: [Double]
  /// The highest median that is allowed; nil for a figure that only informs.
  var target: Double?

  var sorted: [Double] { values.sorted() }
  var median: Double { sorted.at(0.5) }
  var isMet: Bool { target.map { median <= $0 } ?? true }
}

/// The figures of one run, in the order in which they were added.
struct Report {
  private(set) var figures: [Figure] = []

  var isMet: Bool { figures.allSatisfy(\.isMet) }

  mutating func add(_ name: String, _ unit: String, _ value: Double, target: Double? = nil) {
    if let index = figures.firstIndex(where: { $0.name == name }) {
      figures[index].values.append(value)
    } else {
      figures.append(Figure(name: name, unit: unit, values: [value], target: target))
    }
  }

  func median(_ name: String) -> Double {
    figures.first { $0.name == name }?.median ?? .nan
  }

  var table: String {
    let width = (figures.map(\.name.count).max() ?? 0) + 2
    let head = "figure".padded(width) + ["min", "median", "max", "target"].map { $0.leftPadded(11) }.joined()
    let lines = figures.map { figure in
      let numbers = [figure.sorted.at(0), figure.median, figure.sorted.at(1)].map(Self.text)
      let target = figure.target.map { "\(Self.text($0))\(figure.isMet ? "" : " !")" } ?? ""
      return figure.name.padded(width) + (numbers + [target]).map { $0.leftPadded(11) }.joined() + "  \(figure.unit)"
    }
    return ([head] + lines).joined(separator: "\n")
  }

  var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    let data = (try? encoder.encode(figures)) ?? Data()
    return String(decoding: data, as: UTF8.self) + "\n"
  }

  private static func text(_ value: Double) -> String {
    String(format: abs(value) < 10 ? "%.3f" : "%.1f", value)
  }
}

extension [Double] {
  /// The value at a part of a sorted list: 0 the least, 0.5 the median, 1 the greatest.
  func at(_ part: Double) -> Double {
    isEmpty ? .nan : self[Int((Double(count - 1) * part).rounded(.up))]
  }
}

extension String {
  fileprivate func padded(_ width: Int) -> String { self + String(repeating: " ", count: Swift.max(0, width - count)) }
  fileprivate func leftPadded(_ width: Int) -> String {
    String(repeating: " ", count: Swift.max(0, width - count)) + self
  }
}
