import Postgres
import TestSupport

/// Random lives of a few people with a few achievements; small numbers, so that much is reached and reached together.
struct Lives {
  var random: SeededGenerator

  private static let metrics: [(String, String?)] = [
    ("points", nil), ("books_read", nil), ("book_read", nil), ("book_read", "a"), ("book_read", "b"),
  ]

  mutating func goal() -> Definition.Goal {
    let (metric, target) = Self.metrics[below(Self.metrics.count)]
    return Definition.Goal(
      metric: metric, value: Int64(below(9)), target: target, needsPrevious: below(2) == 0)
  }

  /// A definition of one of so many achievements, unlike what it was.
  mutating func definition(of count: Int) -> Definition {
    var definition = Definition("a\(below(count))", steps: [:])
    if below(2) == 0 {
      for _ in 0...below(4) { definition.steps[below(5)] = goal() }
    }
    definition.goal = goal()
    definition.goal.needsPrevious = false
    definition.reward = Int64(below(4))
    definition.isHidden = below(3) == 0
    definition.name = "N\(below(4))"
    definition.displayOrder = below(3)
    return definition
  }

  mutating func report() -> (metric: String, value: Int64, mode: String, target: String?) {
    let (metric, target) = Self.metrics[below(Self.metrics.count)]
    return below(3) == 0
      ? (metric, Int64(below(10)), "set", target) : (metric, Int64(below(4)), "add", target)
  }

  mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
}
