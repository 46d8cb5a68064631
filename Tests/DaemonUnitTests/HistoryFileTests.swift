import Engine
import Foundation
import Glibc
import Logging
import Operations
import Postgres
import TestSupport
import Testing

@testable import Daemon

@Suite("A node's history file") struct HistoryFileTests {
  private let directory: ScratchDirectory
  private let path: String
  private let line = KeptHistory(
    installation: "i", node: "a", beats: 7, timeline: 1, at: Timestamp(microseconds: 5), marks: [:]
  ).line

  init() throws {
    directory = try ScratchDirectory()
    path = "\(directory.path)/\(HistoryFile.name)"
  }

  private let log = Logger(label: "t") { _ in SwiftLogNoOpLogHandler() }
  private var file: HistoryFile { HistoryFile(in: directory.path, log) }

  private func write(_ line: String, _ file: HistoryFile) {
    file.storage.write(line, true)
    file.finish()
  }

  @Test func `a node's history file survives a restart and is private`() throws {
    write(line, file)
    #expect(file.storage.read() == line)
    #expect(file.finding.isOk)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test func `an unreadable history file is put aside, and doctor reports it until the next write`() throws {
    let torn = String(line.dropLast(8))
    try torn.write(toFile: path, atomically: false, encoding: .utf8)
    let file = file
    #expect(file.storage.read() == nil)
    #expect(!file.finding.isOk && file.finding.finding.contains("database-history.unreadable"))
    #expect(try String(contentsOfFile: path + ".unreadable", encoding: .utf8) == torn)
    write(line, file)
    #expect(file.finding.isOk)
    #expect(file.storage.read() == line)
  }

  @Test func `a history file must be a regular file: no pipe is waited for, and a folder is reported`() throws {
    #expect(mkfifo(path, 0o600) == 0)
    let pipe = file
    #expect(pipe.storage.read() == nil)
    #expect(!pipe.finding.isOk)
    write(line, pipe)
    #expect(pipe.finding.isOk && pipe.storage.read() == line)

    #expect(unlink(path) == 0 && mkdir(path, 0o700) == 0)
    let folder = file
    // What was put aside before is in the way.
    #expect(folder.storage.read() == nil)
    #expect(folder.finding.finding.contains("not renamed"), "\(folder.finding.finding)")
    write(line, folder)
    #expect(!folder.finding.isOk && folder.finding.finding.contains("directory"), "\(folder.finding.finding)")
  }

  @Test func `lines that come quickly are written once an interval, the newest of them, and at the end`() async throws {
    @Sendable func line(_ beats: Int64) -> String {
      KeptHistory(
        installation: "i", node: "a", beats: beats, timeline: 1, at: Timestamp(microseconds: 5), marks: [:]
      ).line
    }
    let slow = HistoryFile(in: directory.path, log, interval: .seconds(3600))
    slow.storage.write(line(1), true)
    for beats in 2...9 { slow.storage.write(line(Int64(beats)), false) }
    slow.queue.sync {}
    #expect(slow.storage.read() == line(1))
    slow.finish()
    #expect(slow.storage.read() == line(9))

    let quick = HistoryFile(in: directory.path, log, interval: .milliseconds(1))
    for beats in 11...19 { quick.storage.write(line(Int64(beats)), false) }
    try await untilTrue("the newest line") { quick.storage.read() == line(19) }
  }

  @Test func `a missing directory of the history file is reported`() throws {
    let file = HistoryFile(in: directory.path + "/gone", log)
    #expect(file.storage.read() == nil)
    #expect(file.finding.isOk)
    write(line, file)
    #expect(!file.finding.isOk && file.finding.finding.contains("No such file"), "\(file.finding.finding)")
  }
}
