import ArgumentParser

/// So many races of so many entries.
struct Shape: ExpressibleByArgument, CustomStringConvertible, Sendable {
  let races: Int
  let entries: Int

  static let main = Shape(races: 1000, entries: 100)
  static let all = [main, Shape(races: 10_000, entries: 10), Shape(races: 10, entries: 10_000)]

  init(races: Int, entries: Int) {
    self.races = races
    self.entries = entries
  }

  init?(argument: String) {
    let numbers = argument.split(separator: "x").compactMap { Int($0) }
    guard numbers.count == 2, numbers.allSatisfy({ $0 >= 1 }) else { return nil }
    self.init(races: numbers[0], entries: numbers[1])
  }

  var description: String { "\(races)x\(entries)" }
  var isMain: Bool { (races, entries) == (Self.main.races, Self.main.entries) }
}
