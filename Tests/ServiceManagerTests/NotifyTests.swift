import Glibc
import ServiceManager
import TestSupport
import Testing

struct NotifyTests {
  @Test(arguments: [false, true])
  func `the manager receives READY, STATUS and STOPPING in order`(abstract: Bool) throws {
    let listener = NotifyListener(abstract: abstract)
    let manager = ServiceManager(environment: ["NOTIFY_SOCKET": listener.address], pid: getpid())

    #expect(manager.ready(status: "nothing is due"))
    #expect(manager.status("3 races are due"))
    #expect(manager.extendTimeout(by: .milliseconds(1500)))
    #expect(manager.stopping())

    #expect(listener.next() == ["READY=1", "STATUS=nothing is due"])
    #expect(listener.next() == ["STATUS=3 races are due"])
    #expect(listener.next() == ["EXTEND_TIMEOUT_USEC=1500000"])
    #expect(listener.next() == ["STOPPING=1", "STATUS=stopping"])
    #expect(listener.next() == nil)
  }

  @Test func `a manager that does not read delays nobody, and then gets the newest of each kind`()
    async throws
  {
    let listener = NotifyListener()
    let manager = ServiceManager(
      environment: ["NOTIFY_SOCKET": listener.address, "WATCHDOG_USEC": "2000000"], pid: getpid())
    var fill = 0
    // Far more than any queue of datagrams holds: a send that waited a second for each would not end in a minute.
    while fill < 2000 {
      #expect(manager.status("\(fill)"))
      fill += 1
    }
    #expect(manager.ready(status: "up") && manager.pingWatchdog() && manager.stopping())
    var heard: [String] = []
    try await eventually("the newest of each") {
      while let message = listener.next() { heard += message }
      return heard.contains("STOPPING=1")
    }
    #expect(heard.contains("READY=1") && heard.contains("WATCHDOG=1"))
    #expect(heard.last { $0.hasPrefix("STATUS=") } == "STATUS=stopping")
    #expect(heard.count < 1000)
  }

  @Test(arguments: [
    ("two\nREADY=1", "two READY=1"),
    ("carriage\r\nreturn\r", "carriage return"),
    ("a\u{0}b\u{1B}[31mc\u{85}d\u{2028}e", "a b [31mc d e"),
    ("  room  ", "room"),
    ("", ""),
    ("£3.80 für Zoë 🏁", "£3.80 für Zoë 🏁"),
  ])
  func `a status is one line and cannot contain other notifications`(text: String, shown: String) throws {
    let listener = NotifyListener()
    let manager = ServiceManager(environment: ["NOTIFY_SOCKET": listener.address], pid: getpid())

    manager.status(text)

    #expect(listener.next() == ["STATUS=\(shown)"])
  }

  @Test func `a long status is cut between characters`() throws {
    let listener = NotifyListener()
    let manager = ServiceManager(environment: ["NOTIFY_SOCKET": listener.address], pid: getpid())

    #expect(manager.status("x" + String(repeating: "🏁", count: 4000)))

    #expect(listener.next() == ["STATUS=x" + String(repeating: "🏁", count: 249)])
  }

  @Test func `a reload reports its start on the monotonic clock`() throws {
    let listener = NotifyListener()
    let manager = ServiceManager(environment: ["NOTIFY_SOCKET": listener.address], pid: getpid())

    let before = ContinuousMonotonic.microseconds
    manager.reloading()
    let message = try #require(listener.next())

    #expect(message.first == "RELOADING=1")
    let said = try #require(message.last?.split(separator: "=").last.flatMap { Int($0) })
    #expect((before...ContinuousMonotonic.microseconds).contains(said))
  }

  @Test(arguments: ["", "@", "relative/path", "/nobody/listens/here", "/" + String(repeating: "x", count: 200)])
  func `a notify address without a listener causes no error`(address: String) {
    let manager = ServiceManager(environment: ["NOTIFY_SOCKET": address], pid: getpid())

    #expect(!manager.ready(status: "up"))
  }
}

private enum ContinuousMonotonic {
  static var microseconds: Int {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return now.tv_sec * 1_000_000 + now.tv_nsec / 1_000
  }
}
