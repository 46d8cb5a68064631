import TestSupport
import Operations
import Engine
import Logging
import Postgres
import Racing
import Testing

@testable import Daemon
@testable import HostProcess

struct JournalLogTests {
  @Test func `each pair of an observation is a journal field of its own`() {
    let fields = JournalLog.fields(
      ["job": "race-settlement", "key": "17", "by-whom": "x\ny"], program: "settled")

    #expect(
      fields == [
        "SYSLOG_IDENTIFIER": "settled", "SETTLED_JOB": "race-settlement", "SETTLED_KEY": "17",
        "SETTLED_BY_WHOM": "x\ny",
      ])
  }

  private static let ids = MessageID.all(with: records)
  private static let records = Modules.all(Configuration(databaseURL: "", node: "a")).flatMap(\.records)

  @Test func `each known event has a journal id of its own`() {
    #expect(Set(Self.ids.values).count == Self.ids.count)
    #expect(Self.ids.values.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) })
  }

  @Test func `each text with a journal id is one that the program writes`() {
    let said = MemoryLog()
    let log = ObservationLog(Logger(label: "test") { _ in said })
    let error = PostgresError(.connection, "away")
    let text = FailureText(error)
    let records = Self.records.map { Observation.recorded(text: $0.text, fields: [:]) }
    for observation: Observation in [
      .started(node: "a", afterCrash: true), .stopped(node: "a"), .databaseAway(error), .databaseBack,
      .batchSplit(job: "a", items: 2, error: error), .itemDelayed(job: "a", key: "1", by: [1]),
      .itemFailed(job: "a", key: "1", attempts: 1, quarantined: false, error: text),
      .itemFailed(job: "a", key: "1", attempts: 5, quarantined: true, error: text),
      .clockJumped(.seconds(7200)), .clockAgrees, .hostClockOff(.seconds(400)), .hostClockAgrees,
      .databaseRestored(finding: "a", timeline: 2), .timelineChanged(2), .warning(job: "a", key: "1", text: "b"),
      .runFailed(schedule: "a", instant: Timestamp(microseconds: 0), error: text),
      .interrupted(job: "a", error: error), .resumed(job: "a"),
      .recorded(text: CommandDispatcher.doneText, fields: [:]),
    ] + records {
      log(observation)
    }

    // The service itself says that it stops.
    #expect(Set(Self.ids.keys).subtracting(said.texts) == ["stopping"])
  }
}
