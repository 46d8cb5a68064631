import Foundation

/// The figures of one run of a benchmark, as `deploy/figures` keeps them.
package struct FigureRecord: Codable, Sendable {
  package let command: String
  /// The date, in UTC: `2026-11-27`.
  package let day: String
  /// Processor, cores, and version of PostgreSQL.
  package let machine: String
  /// How long the run took, in seconds; nil for older records.
  package let seconds: Int?
  package let figures: [Figure]
  /// The series of a benchmark of growth.
  package let growths: [Growth]?

  package init(
    command: String, day: String, machine: String, seconds: Int? = nil, figures: [Figure], growths: [Growth] = []
  ) {
    (self.command, self.day, self.machine, self.seconds, self.figures) = (command, day, machine, seconds, figures)
    self.growths = growths.isEmpty ? nil : growths
  }

  /// All figures, those of the series included.
  package var allFigures: [Figure] { figures + (growths ?? []).flatMap(\.figures) }

  package init(json: String) throws {
    self = try JSONDecoder().decode(Self.self, from: Data(json.utf8))
  }

  package var json: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }
  }
}
