import Cron
import TestSupport
import Testing

@Suite("Ticks against cronsim") struct CronsimTests {
  /// Around clock changes of thirty zones, listed and random expressions.
  @Test func `cron expressions tick like cronsim, over expressions, zones and days of clock changes`() async throws {
    let seed = SeededGenerator().seed % 1_000_000_000
    let answer = try await Oracle.run("cron_ticks.py", [String(seed), "15"])
    var zones: [String: ZoneOffsets] = [:]
    var (cases, ticks) = (0, 0)
    for line in answer.split(separator: "\n") {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      if fields[0] == "zone" {
        zones[fields[1]] = try Self.offsets(fields[2])
        continue
      }
      guard fields[0] == "case" else { continue }
      let offsets = try #require(zones[fields[2]])
      let (first, last) = (try #require(Int64(fields[3])), try #require(Int64(fields[4])))
      let wanted = fields[5].split(separator: ",").compactMap { Int64($0) }
      let all = Ticks(.cron(try CronExpression(fields[1])), offsets)
      let found = all.first(.max, after: first, through: last).map(\.instant)
      #expect(found == wanted, "\(fields[1]) in \(fields[2]) from \(first), SETTLED_TEST_SEED=\(seed)")
      let backwards = all.last(.max, after: first, through: last).map(\.instant)
      #expect(backwards == found, "backwards: \(fields[1]) in \(fields[2]) from \(first), SETTLED_TEST_SEED=\(seed)")
      (cases, ticks) = (cases + 1, ticks + wanted.count)
    }
    #expect(cases > 1000)
    print("cron: \(cases) expressions around clock changes equal to cronsim, \(ticks) ticks, seed \(seed)")
  }

  private static func offsets(_ text: String) throws -> ZoneOffsets {
    let spans = try text.split(separator: ",").map { pair in
      let numbers = pair.split(separator: ":").compactMap { Int64($0) }
      return ZoneOffsets.Span(start: try #require(numbers.first), offset: try #require(numbers.last))
    }
    return ZoneOffsets(spans, end: .max / 4)
  }
}
