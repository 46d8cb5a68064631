import Engine
import Operations
import ControlServer
import Foundation
import Logging
import Postgres
import Racing
import Synchronization
import TestSupport
import Testing

@testable import Daemon

/// A clock that stands until it is moved.
private final class Hand: Sendable {
  private let at = Mutex(Duration.seconds(1000))

  func move(_ by: Duration) { at.withLock { $0 += by } }

  var time: Timekeeper {
    Timekeeper(
      now: { self.at.withLock { $0 } }, boot: { .zero }, bootId: "test", wall: { Timestamp(microseconds: 0) },
      sleep: { _ in }, draw: { 0.5 })
  }
}

struct LineLimiterTests {
  private let said = MemoryLog()
  private let hand = Hand()

  private var log: Logger {
    let said = said
    return Logger(label: "test") { _ in said }
  }

  @Test func `a flood of lines becomes one for each user and kind, and a count after a minute`() {
    let control = ControlLog(log, time: hand.time)
    for uid in [UInt32(7), 8] {
      for _ in 0..<5000 {
        control.note(.denied(uid: uid, gid: 1, pid: 1, command: nil))
        control.note(.connectionRefused(socket: "health", uid: uid))
      }
    }
    #expect(said.texts.filter { $0 == "a caller was denied" }.count == 2)
    #expect(said.texts.filter { $0 == "too many connections" }.count == 2)
    hand.move(.seconds(59))
    control.tellLeftOut()
    #expect(said.texts.count == 4)
    hand.move(.seconds(1))
    control.tellLeftOut()
    #expect(said.texts.filter { $0 == "repeated log lines were suppressed" }.count == 4)
    control.note(.denied(uid: 7, gid: 1, pid: 1, command: nil))
    #expect(said.texts.last == "a caller was denied")
  }

  @Test func `lines of any number of users fill neither memory nor journal`() {
    var limiter = LineLimiter()
    let admitted = (0..<100_000).filter { limiter.admits("a", uid: UInt32($0), now: .zero) }
    #expect(admitted.count == LineLimiter.kindsMax + 1)
    let leftOut = limiter.end(now: .seconds(60))
    #expect(leftOut == [.init(kind: .init(text: "a", uid: nil), count: 100_000 - LineLimiter.kindsMax - 1)])
  }

  @Test func `the ledger's chain heads are kept in a file of the daemon's own`() throws {
    let directory = try ScratchDirectory()
    let record = try #require(RacingModule().records.first)
    let heads = RecordFiles([record], in: directory.path, log, time: hand.time)
    #expect(RecordFiles.newest(of: record, in: directory.path) == nil)
    for position in 1...3 {
      heads.note(
        .recorded(
          text: record.text,
          fields: ["position": "\(position)", "hash": "ab\(position)", "differences": "0"]))
    }
    heads.note(.recorded(text: "something else", fields: ["position": "9"]))
    heads.finish()
    let path = directory.path + "/ledger-heads"
    #expect(try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").count == 3)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(RecordFiles.newest(of: record, in: directory.path)?.fields == ["3", "ab3", "0"])
    let at = try #require(RecordFiles.newest(of: record, in: directory.path)).at
    #expect((0..<1_000_000).contains(hand.time.wall().microseconds - at.microseconds))

    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    try (String(repeating: "1 a 0 x\n", count: 70_000)).write(toFile: path, atomically: false, encoding: .utf8)
    heads.note(
      .recorded(text: record.text, fields: ["position": "4", "hash": "ab4", "differences": "0"]))
    heads.finish()
    #expect(try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").count == 1)
    #expect(FileManager.default.fileExists(atPath: path + ".1"))
  }

  @Test func `the health answer is made once a second, but a change of readiness shows at once`() async {
    let monitor = NodeMonitor(time: hand.time)
    let pool = Pool(
      options: ConnectionOptions(url: "postgresql:///nowhere", applicationName: "test"), size: 1,
      waitTimeout: .seconds(1), maximumWaiters: 1)
    let health = NodeHealth(
      monitor: monitor, pool: pool, figures: FigureReader([], pool: pool, time: hand.time), time: hand.time)
    monitor.note(.started(node: "a", afterCrash: false))
    #expect(await health.metrics.contains("settled_database_losses_total 0"))
    #expect(health.isReady && health.readiness.contains(#""ready": true"#))
    monitor.note(.databaseAway(PostgresError(.connection, "away")))
    #expect(await health.metrics.contains("settled_database_losses_total 0"))
    #expect(!health.isReady && health.readiness.contains(#""ready": false"#))
    hand.move(.seconds(1))
    #expect(await health.metrics.contains("settled_database_losses_total 1"))
  }
}
