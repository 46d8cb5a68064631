import Glibc
import ServiceManager
import Testing

struct SilenceTests {
  @Test func `notifying without a manager does nothing`() throws {
    let manager = ServiceManager(environment: [:], pid: getpid())

    #expect(!manager.ready(status: "up"))
    #expect(!manager.status("up"))
    #expect(!manager.stopping())
    #expect(!manager.extendTimeout(by: .seconds(1)))
    #expect(!manager.reloading())
    #expect(!manager.pingWatchdog())
    #expect(manager.watchdogInterval == nil)
    #expect(try manager.inheritedSockets().isEmpty)
    #expect(try manager.credential("database-url") == nil)
    #expect(!manager.isConnectedToJournal)
    #expect(!manager.journal(.info, "nothing"))
    Watchdog(manager).noteProgress(at: .zero)
  }

  @Test func `variables for another process count as absent`() throws {
    let other = "\(getpid() + 1)"
    let manager = ServiceManager(
      environment: ["WATCHDOG_USEC": "1000", "WATCHDOG_PID": other, "LISTEN_FDS": "1", "LISTEN_PID": other],
      pid: getpid())

    #expect(manager.watchdogInterval == nil)
    #expect(try manager.inheritedSockets().isEmpty)
  }

  @Test(arguments: ["", "x", "-1", "0", "1:x:1", "99999999999999999999"])
  func `variables that are not numbers count as absent`(value: String) throws {
    let manager = ServiceManager(
      environment: ["WATCHDOG_USEC": value, "LISTEN_FDS": value, "LISTEN_PID": "\(getpid())", "JOURNAL_STREAM": value],
      pid: getpid())

    #expect(manager.watchdogInterval == nil)
    #expect(try manager.inheritedSockets().isEmpty)
    #expect(!manager.isConnectedToJournal)
  }

  @Test func `the journal is recognised by device and inode of the stream`() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    var status = stat()
    try #require(fstat(ends[1], &status) == 0)

    func connected(_ stream: String) -> Bool {
      ServiceManager(environment: ["JOURNAL_STREAM": stream], pid: getpid(), standardError: ends[1])
        .isConnectedToJournal
    }
    #expect(connected("\(status.st_dev):\(status.st_ino)"))
    #expect(!connected("\(status.st_dev):\(status.st_ino + 1)"))
  }
}
