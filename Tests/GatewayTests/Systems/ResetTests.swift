import Postgres
import TestSupport
import Testing

@testable import Gateway

@Suite("A new password over HTTP", .timeLimit(.minutes(3))) struct ResetTests {
  private static func ask(_ world: SystemWorld, _ email: String) async throws -> Reply {
    try await world.call("POST /auth/reset-password", body: #"{"email":"\#(email)"}"#)
  }

  private static func confirm(_ world: SystemWorld, _ token: String, _ password: String) async throws -> Reply {
    try await world.call(
      "POST /auth/reset-password/confirm", body: #"{"token":"\#(token)","password":"\#(password)"}"#)
  }

  @Test func `a reset link works once, and ends older sessions`() async throws {
    let program = try MailProgram()
    try await SystemWorld.run {
      $0.allowManyAttempts()
      $0.sendmail = program.path
    } _: { world in
      try await world.account("ann@example.com", checkin: "ann")
      let session = try DocumentJSON(try await world.logIn("ann@example.com").body)["token"].plain
      let asked = try await Self.ask(world, "Ann@example.com")
      #expect(asked.status == 202 && asked.body == "{}", "\(asked)")
      let mail = try await program.wait(for: 1)[0]
      #expect(mail.hasPrefix("To: ann@example.com\n") && mail.contains("\n\n"), "\(mail)")
      let token = MailProgram.token(in: mail)
      #expect(mail.contains("\(SystemWorld.publicURL)/reset#token=\(token)\n") && token.count == 43, "\(mail)")
      #expect(
        try await world.number(
          """
          SELECT count(*) FROM accounts.one_time_token WHERE kind = 'reset' AND expires_at
            BETWEEN clock_timestamp() + interval '25 minutes' AND clock_timestamp() + interval '30 minutes'
          """) == 1)
      // A password that nobody may have uses nothing up.
      let short = try await Self.confirm(world, token, "short")
      #expect(short.status == 400 && short.has(#""rule":"password""#), "\(short)")
      #expect(try await world.call("GET /api/auth/me", token: session).status == 200)
      let done = try await Self.confirm(world, token, "battery staple")
      #expect(done.status == 204 && done.body.isEmpty, "\(done)")
      let again = try await Self.confirm(world, token, "battery staple")
      #expect(again.status == 400 && again.has(#""rule":"token""#), "\(again)")
      #expect(try await world.call("GET /api/auth/me", token: session).status == 401)
      #expect(try await world.logIn("ann@example.com").status == 401)
      #expect(try await world.logIn("ann@example.com", "battery staple").status == 200)
      for secret in [token, session, "battery staple", "correct horse"] {
        #expect(!world.log.lines.contains { $0.contains(secret) })
      }
    }
  }

  @Test func `a copied database mails nobody`() async throws {
    let program = try MailProgram()
    try await SystemWorld.run {
      $0.allowManyAttempts()
      $0.sendmail = program.path
    } _: { world in
      try await world.account("ann@example.com", checkin: "ann")
      try await world.owner.execute("UPDATE settled.installation SET home = 'another/1'")
      let refused = try await Self.ask(world, "ann@example.com")
      #expect(refused.status == 503 && refused.has(#""rule":"home""#), "\(refused)")
      #expect(refused["retry-after"] == "60", "\(refused)")
      #expect(try await world.number("SELECT count(*) FROM accounts.one_time_token") == 0)
    }
  }

  @Test func `a reset request reveals no account, and its link ends after 30 minutes`() async throws {
    let program = try MailProgram()
    try await SystemWorld.run {
      $0.allowManyAttempts()
      $0.sendmail = program.path
    } _: { world in
      for name in ["ann", "eve", "last"] { try await world.account("\(name)@example.com") }
      try await world.owner.execute("SELECT accounts.disable('eve@example.com')")
      // The fourth link of ann is one too many, and she is not told either.
      for name in ["nobody", "eve", "ann", "ann", "ann", "ann", "last"] {
        let asked = try await Self.ask(world, "\(name)@example.com")
        #expect(asked.status == 202 && asked.body == "{}" && asked["Retry-After"] == nil, "\(name): \(asked)")
      }
      // One mail is made after the other: with the last one all are there.
      let all = try await program.wait(for: 4)
      let mails = all.filter { !$0.hasPrefix("To: last@example.com\n") }
      #expect(
        all.count == 4 && mails.count == 3 && mails.allSatisfy { $0.hasPrefix("To: ann@example.com\n") }, "\(mails)")
      for email in ["ann@example.com\\nBcc: eve@example.com", "ann", "", "ann@example.com, eve@example.com"] {
        let refused = try await Self.ask(world, email)
        #expect(refused.status == 400 && refused.has(#""rule":"email""#), "\(email): \(refused)")
      }
      try await world.owner.execute(
        "UPDATE accounts.one_time_token SET expires_at = expires_at - interval '30 minutes'")
      for token in mails.map(MailProgram.token) + ["x", ""] {
        let late = try await Self.confirm(world, token, "battery staple")
        #expect(late.status == 400 && late.has(#""rule":"token""#), "\(late)")
      }
    }
  }

  @Test func `a reset request is answered before the address is looked up`() async throws {
    let program = try MailProgram()
    try await SystemWorld.run {
      $0.allowManyAttempts()
      $0.sendmail = program.path
    } _: { world in
      try await world.account("ann@example.com")
      let lock = try await world.settled.connect()
      try await lock.script("BEGIN; LOCK TABLE accounts.account, accounts.one_time_token")
      #expect(try await Self.ask(world, "ann@example.com").status == 202)
      try await lock.execute("COMMIT")
      await lock.close()
      try await untilTrue("the mail, or what is said of it") {
        try !program.mails.isEmpty || world.log.lines.contains { $0.contains("an email was not sent") }
      }
    }
  }

  @Test func `a reset request answers alike when mail fails, and the journal omits the address`()
    async throws
  {
    for path in ["/bin/false", "/nothing/is/here"] {
      try await SystemWorld.run {
        $0.allowManyAttempts()
        $0.sendmail = path
      } _: { world in
        try await world.account("ann@example.com")
        #expect(try await Self.ask(world, "ann@example.com").status == 202)
        try await untilTrue("a line of the log") { world.log.lines.contains { $0.contains("an email was not sent") } }
        #expect(!world.log.lines.contains { $0.contains("ann@example.com") })
      }
    }
  }

  @Test func `a password reset is unavailable without a configured mail program`() async throws {
    try await SystemWorld.run { world in
      try await world.account("ann@example.com")
      for name in ["ann", "nobody"] {
        let asked = try await Self.ask(world, "\(name)@example.com")
        #expect(asked.status == 501 && asked.has(#""rule":"sendmail""#), "\(asked)")
      }
      #expect(try await world.number("SELECT count(*) FROM accounts.one_time_token") == 0)
    }
  }
}
