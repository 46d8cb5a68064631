import ControlAPI
import ControlClient
import Postgres
import TestSupport
import Testing

extension AnswersTests {
  /// An account through its life. Its link is shown once: neither a repetition nor anything stored has it.
  static func accounts(_ questions: Questions, _ course: Course) async throws {
    try await course.session.script("SELECT achievements.create_user(7, 'Reader')")
    let create: KeyValuePairs<String, ParameterValue?> = ["email": .text("Ann@example.org")]
    let first = try await questions.ask(.accountCreate, create, requestId: "create-ann")
    let token = try #require(first.firstMatch(of: /http:\/\/127\.0\.0\.1:8080\/reset#token=([A-Za-z0-9_-]{43})"/)?.1)
    let again = try await questions.ask(.accountCreate, create, requestId: "create-ann")
    #expect(!again.contains(token) && again.contains("ann@example.org"))
    let stored: Statement = """
      SELECT count(*) FROM (SELECT r::text FROM settled.request r UNION ALL SELECT a::text FROM settled.audit a
        UNION ALL SELECT t::text FROM accounts.one_time_token t) AS s (row) WHERE row LIKE '%' || \(String(token)) || '%'
      """
    #expect(try await course.session.query(stored).one(Int64.self) == 0)
    let isItsDigest: Statement = """
      SELECT EXISTS (SELECT FROM accounts.one_time_token WHERE digest = sha256(convert_to(\(String(token)), 'UTF8')))
      """
    #expect(try await course.session.query(isItsDigest).one(Bool.self))
    let ann = ParameterValue.text("ann@example.org")
    let reset = try await questions.ask(.accountReset, ["account": ann])
    #expect(reset.contains("/reset#token=") && !reset.contains(token))
    // The former link is good no more.
    #expect(try await !course.session.query(isItsDigest).one(Bool.self))
    try await questions.ask(
      .accountLink,
      [
        "account": ann, "username": .text("ann"), "athlete": .integer(1), "runner": .integer(1), "reader": .integer(7),
        "checkin": .text("uid"),
      ])
    try await questions.ask(.accountGrant, ["account": .text("ann"), "role": .text("moderator")])
    try await questions.ask(.accountGrant, ["account": .text("1"), "role": .text("payments")])
    try await questions.ask(.accountShow, ["account": ann])
    let link = try #require(reset.firstMatch(of: /reset#token=([A-Za-z0-9_-]{43})"/)?.1)
    try await course.session.script(
      "SELECT gateway.set_password(sha256('\(link)'), repeat('h', 40))")
    try await questions.ask(.accountList, ["limit": .integer(1)])
    // The audit, which more people read, has neither the address nor the name.
    let audited: Statement = """
      SELECT count(*), count(*) FILTER (WHERE a::text ~ 'example.org|displayName') FROM settled.audit AS a
      WHERE a.command LIKE 'account.%' AND a.after ->> 'id' = '1'
      """
    let (rows, telling) = try await course.session.query(audited).one(Int64.self, Int64.self)
    #expect(rows >= 5 && telling == 0)
    try await questions.ask(.accountRevoke, ["account": ann, "role": .text("payments")])
    try await questions.ask(.accountDisable, ["account": ann, "reason": .text("left")])
    try await questions.ask(.accountEnable, ["account": ann])
    try await questions.ask(.accountUnlink, ["account": ann, "runner": .boolean(true), "checkin": .boolean(true)])
  }
}
