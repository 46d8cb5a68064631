import Figures
import Foundation

/// The figures of one run, in the order in which they were added.
struct Report {
  private var added: [Figure] = []
  private var growths: [Growth] = []
  /// The version of the server that was measured.
  var server = ""

  private var figures: [Figure] { added + growths.flatMap(\.figures) }

  var isMet: Bool { figures.allSatisfy(\.isMet) }

  mutating func add(_ name: String, _ unit: String, _ value: Double, target: Double? = nil) {
    if let index = added.firstIndex(where: { $0.name == name }) {
      added[index].add(value)
    } else {
      added.append(Figure(name: name, unit: unit, values: [value], target: target))
    }
  }

  /// Adds a value to a series; `target` is the highest allowed exponent.
  mutating func grow(_ name: String, _ unit: String, _ value: Double, at size: Int, _ noun: String, target: Double) {
    let index = growths.firstIndex { $0.name == name } ?? growths.endIndex
    if index == growths.endIndex { growths.append(Growth(name: name, noun: noun, unit: unit, target: target)) }
    growths[index].add(value, at: size)
  }

  func median(_ name: String) -> Double {
    added.first { $0.name == name }?.median ?? .nan
  }

  var table: String {
    let width = (figures.map(\.name.count).max() ?? 0) + 2
    let head = "figure".padded(width) + ["min", "median", "max", "target"].map { $0.leftPadded(11) }.joined()
    let lines = figures.map { figure in
      let numbers = [figure.least, figure.median, figure.greatest].map(Self.text)
      let target = figure.target.map { "\(Self.text($0))\(figure.isMet ? "" : " !")" } ?? ""
      return figure.name.padded(width) + (numbers + [target]).map { $0.leftPadded(11) }.joined() + "  \(figure.unit)"
    }
    return ([head] + lines).joined(separator: "\n")
  }

  /// The figures with the date, the machine, and the command that measured them in so many seconds.
  func record(command: String, seconds: Int) throws -> FigureRecord {
    let processors = try String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8).split(separator: "\n").filter {
      $0.hasPrefix("model name")
    }
    let model = processors.first?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces) ?? "processor"
    return FigureRecord(
      command: command, day: Date.now.formatted(.iso8601.year().month().day()),
      machine: "\(processors.count) cores of \(model), \(server)", seconds: seconds, figures: added,
      growths: growths)
  }

  private static func text(_ value: Double) -> String {
    String(format: abs(value) < 10 ? "%.3f" : "%.1f", value)
  }
}

extension String {
  fileprivate func padded(_ width: Int) -> String { self + String(repeating: " ", count: Swift.max(0, width - count)) }
  fileprivate func leftPadded(_ width: Int) -> String {
    String(repeating: " ", count: Swift.max(0, width - count)) + self
  }
}
