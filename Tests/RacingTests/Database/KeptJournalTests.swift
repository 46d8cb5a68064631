import Engine
import Postgres
import TestSupport
import Testing

@testable import Racing

@Suite("A database that lost a withdrawal") struct KeptJournalTests {
  private func withdraw(_ course: Course, _ athlete: Int64, key: String) async throws -> Int64 {
    let withdraw: Statement = "SELECT (racing.withdraw(\(athlete), 100, \(key))->>'id')::bigint"
    return try await course.session.query(withdraw).one(Int64.self)
  }

  @Test func `a withdrawal after the loss does not get the number of the lost one`() async throws {
    let course = try await Course()
    let athlete = try await course.athlete()
    let kept = try await course.session.query(KeptJournal.mark.newest).one(String.self)
    let lost = try await course.session.transaction(commit: false) { transaction in
      _ = try await transaction.query("SELECT racing.withdraw(\(athlete), 100, 'lost')")
      return try await transaction.query(KeptJournal.mark.newest).one(String.self)
    }
    // A restored server's sequences stand where they stood.
    let before = KeptJournal.Numbers(kept)
    try await course.session.execute(
      "SELECT setval('racing.journal_id_seq', \(before.journal)), setval('racing.posting_id_seq', \(before.posting))")
    #expect(try await course.session.query(KeptJournal.mark.holds(kept)).one(Bool.self))
    #expect(try await !course.session.query(KeptJournal.mark.holds(lost)).one(Bool.self))
    let resume = try #require(KeptJournal.mark.resume)
    try await course.session.execute(resume(lost))
    #expect(try await withdraw(course, athlete, key: "a") > KeptJournal.Numbers(lost).posting)

    // Neither an older memory nor a broken one moves the numbers.
    let next = try await withdraw(course, athlete, key: "b")
    for text in [kept, "9000000000000000000:9000000000000000000"] { try await course.session.execute(resume(text)) }
    #expect(try await withdraw(course, athlete, key: "c") - next < 10)
  }

  @Test func `a database without a journal has nothing to lose`() async throws {
    let session = try await SettledDatabase.simulated().connect()
    let newest = try await session.query(KeptJournal.mark.newest).one(String.self)
    #expect(newest == "0:0")
    #expect(try await session.query(KeptJournal.mark.holds(newest)).one(Bool.self))
  }
}
