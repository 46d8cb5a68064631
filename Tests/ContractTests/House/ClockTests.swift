import Postgres
import TestSupport
import Testing

@Suite("The clock") struct ClockTests {
  @Test func `the simulated clock stands still until it is set again`() async throws {
    let session = try await SettledDatabase.simulated().connect()
    for instant in [
      "2031-01-01T00:00:00Z", "2031-01-01T00:00:00Z", "2031-01-01T00:00:00.000001Z", "2035-01-01T00:00:00Z",
    ] {
      try await session.run("SELECT settled.set_clock('\(instant)')")
      for _ in 0..<3 {
        #expect(try await session.value("SELECT settled.clock() = '\(instant)'", as: Bool.self), "\(instant)")
      }
    }
  }

  @Test func `the simulated clock never goes back`() async throws {
    let course = try await Course(at: "2031-06-02T09:00:00Z")
    for call in [
      "settled.set_clock('2031-06-02T08:59:59.999999Z')", "settled.set_clock('2031-06-02T08:00:00Z', true)",
      "settled.set_clock('1999-01-01')",
    ] {
      #expect(try await course.session.tried("SELECT \(call)") == "SD400 at", "\(call)")
    }
    #expect(try await course.session.value("SELECT settled.clock() = '2031-06-02T09:00Z'", as: Bool.self))
  }

  @Test func `the simulated clock can be started, and stopped again`() async throws {
    let course = try await Course(at: "2031-06-02T09:00:00Z")
    let session = course.session
    try await session.run("SELECT settled.set_clock('2031-06-02T10:00:00Z', true)")
    let first = try await session.value("SELECT settled.clock()", as: Timestamp.self)
    var next = first
    while next == first { next = try await session.value("SELECT settled.clock()", as: Timestamp.self) }
    #expect(next > first)
    #expect(next.since(first) < .seconds(600))
    #expect(try await session.tried("SELECT settled.set_clock('2031-06-02T10:00:00Z')") == "SD400 at")
    try await session.run("SELECT settled.set_clock(settled.clock() + interval '1 second')")
    let stands = try await session.value("SELECT settled.clock()", as: Timestamp.self)
    #expect(try await session.value("SELECT settled.clock()", as: Timestamp.self) == stands)
  }

  @Test func `the real clock is the server's, and cannot be set`() async throws {
    let session = try await SettledDatabase.real().connect()
    let before = try await session.value("SELECT clock_timestamp()", as: Timestamp.self)
    let now = try await session.value("SELECT settled.clock()", as: Timestamp.self)
    let after = try await session.value("SELECT clock_timestamp()", as: Timestamp.self)
    #expect(before <= now && now <= after)
    #expect(try await session.tried("SELECT settled.set_clock('2190-01-01Z')") == "SD403 clock")
    #expect(try await session.tried("SELECT settled.set_clock('2190-01-01Z', true)") == "SD403 clock")
  }

  @Test func `each statement of a transaction reads the clock again`() async throws {
    let session = try await SettledDatabase.real().connect()
    try await session.transaction { transaction in
      let first = try await transaction.value("SELECT settled.clock()", as: Timestamp.self)
      #expect(try await transaction.value("SELECT settled.clock()", as: Timestamp.self) > first)
    }
  }
}
