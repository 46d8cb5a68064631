@testable import Engine
import Postgres
import TestSupport
import Testing

@Suite("Work that is interrupted") struct InterruptionTests {
  private static let denied = PostgresError(.server, "permission denied", sqlState: "42501")
  private static let lost = PostgresError(.connection, "lost")

  private static func texts(_ news: [Observation]) -> [String] {
    news.map { observation in
      switch observation {
      case .interrupted(let job, let error): "\(job): \((error as? PostgresError)?.sqlState ?? "-")"
      case .resumed(let job): "\(job) resumed"
      default: "other"
      }
    }
  }

  @Test func `interrupted work pauses for 1 s to 60 s; each kind and its end are reported once`() {
    var interruptions = Interruptions()
    let pauses = (0..<8).map { _ in interruptions.interrupt("a", by: Self.denied, progressed: false, draw: 0) }
    #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
    #expect(Self.texts(interruptions.takeNews()) == ["a: 42501"])
    let other = PostgresError(.server, "no such table", sqlState: "42P01")
    _ = interruptions.interrupt("a", by: other, progressed: false, draw: 0)
    #expect(Self.texts(interruptions.takeNews()) == ["a: 42P01"])
    interruptions.resume("a")
    interruptions.resume("a")
    #expect(Self.texts(interruptions.takeNews()) == ["a resumed"])
    let again = interruptions.interrupt("a", by: Self.denied, progressed: false, draw: 0.5)
    #expect(again == .milliseconds(750))
  }

  @Test func `work with a lost connection pauses for 100 ms to 5 s, and is reported if that lasts`() {
    var interruptions = Interruptions()
    let first = (0..<9).map { _ in interruptions.interrupt("a", by: Self.lost, progressed: false, draw: 0) }
    #expect(first.first == .milliseconds(100) && first.last == .seconds(5))
    #expect(interruptions.takeNews().isEmpty)
    let progress = interruptions.interrupt("a", by: Self.lost, progressed: true, draw: 0)
    #expect(progress == .milliseconds(100))
    for _ in 0..<9 { _ = interruptions.interrupt("a", by: Self.lost, progressed: false, draw: 0) }
    #expect(Self.texts(interruptions.takeNews()) == ["a: -"])
  }

  @Test func `interrupted work does not restart before its pause ends, and stops no other work`() {
    var workload = Workload(
      [.init(name: "a"), .init(name: "b")], options: SchedulerOptions(node: "n", version: "v"))
    workload.ended("a", RunOutcome(items: 0, interruption: Self.denied), now: .seconds(1), draw: { 0 })
    workload.ended("b", RunOutcome(items: 1), now: .seconds(1), draw: { 0 })
    let started = workload.start(["a", "b"])
    #expect(started == ["b"])
    let plans = [Duration.milliseconds(1900), .seconds(2)].map {
      workload.plan(.init(snapshot: .due(["a"]), seen: $0), mayClaim: true).start
    }
    #expect(plans == [[], ["a"]])
  }
}
