import Engine
import OneTimeTokens
import TextCoding
import Operations
import ControlAPI
import Postgres

/// The operators' commands about accounts.
struct AccountHandlers: Sendable {
  let random: @Sendable (Int) -> [UInt8]

  var commands: [Command] {
    [
      Command(.accountList, .read(Self.list)),
      Command(.accountShow, .read { call, transaction in try await Self.show(Self.account(call), transaction) }),
      Command(.accountCreate, .change(create)),
      Command(.accountReset, .change(reset)),
      Command(.accountLink, .change { call, transaction in try await Self.change(call, Self.link, transaction) }),
      Command(.accountUnlink, .change { call, transaction in try await Self.change(call, Self.unlink, transaction) }),
      Command(.accountGrant, .change { call, transaction in try await Self.change(call, Self.grant, transaction) }),
      Command(.accountRevoke, .change { call, transaction in try await Self.change(call, Self.revoke, transaction) }),
      Command(.accountDisable, .change { call, transaction in try await Self.change(call, Self.disable, transaction) }),
      Command(.accountEnable, .change { call, transaction in try await Self.change(call, Self.enable, transaction) }),
    ]
  }

  private static func account(_ call: CommandCall) -> String { call.text("account") ?? "" }

  private static func show(_ account: String, _ transaction: Transaction) async throws -> JSON {
    try await transaction.query("SELECT accounts.show(\(account))").one(JSON.self)
  }

  private static func list(_ call: CommandCall, _ transaction: Transaction) async throws -> JSON {
    let limit = call.integer("limit") ?? 100
    guard (1...100).contains(limit) else {
      throw CommandError(.usage, rule: "limit", "limit must be between 1 and 100")
    }
    return try await transaction.query("SELECT accounts.list(\(call.integer("after")), \(Int32(limit)))").one(JSON.self)
  }

  private func create(_ call: CommandCall, _ transaction: Transaction) async throws -> CommandChange {
    let token = OneTimeToken(random: random)
    let call: Statement = """
      accounts.create_account(
        \(call.text("email")), \(Bytes(token.digest)), \(call.text("username")), \(call.integer("athlete")),
        \(call.integer("runner")), \(call.integer("reader")), \(call.text("checkin")))
      """
    return try await answer(call, before: JSONValue.null.json, token, transaction)
  }

  private func reset(_ call: CommandCall, _ transaction: Transaction) async throws -> CommandChange {
    let token = OneTimeToken(random: random)
    let before = try await Self.show(Self.account(call), transaction)
    return try await answer(
      "accounts.reset(\(Self.account(call)), \(Bytes(token.digest)))", before: before, token, transaction)
  }

  /// The link is in the answer alone: neither the audit nor what is kept for a repeated request has it.
  private func answer(
    _ call: Statement, before: JSON, _ token: OneTimeToken, _ transaction: Transaction
  ) async throws -> CommandChange {
    let statement: Statement = "SELECT a.shown, (a.shown ->> 'id') FROM \(fragment: call) AS a (shown)"
    let (account, id) = try await transaction.query(statement).one(JSON.self, String.self)
    let url = try await transaction.query("SELECT settled.setting('accounts.public_url')").one(String.self)
    func answer(_ link: JSONValue) -> JSON { JSONValue.object([("account", .raw(account)), ("link", link)]).json }
    return CommandChange(
      target: "account \(id)", before: before, after: account,
      answer: answer(.text("\(url)/reset#token=\(token.text)")), kept: answer(.null))
  }

  /// Changes one account; what it was before stands in the audit.
  private static func change(
    _ call: CommandCall, _ statement: (CommandCall) throws -> Statement, _ transaction: Transaction
  ) async throws -> CommandChange {
    let statement = try statement(call)
    let before = try await show(account(call), transaction)
    let (after, id) = try await transaction.query(
      "SELECT c.shown, (c.shown ->> 'id') FROM \(fragment: statement) AS c (shown)"
    ).one(JSON.self, String.self)
    return CommandChange(target: "account \(id)", before: before, after: after, answer: after)
  }

  private static func link(_ call: CommandCall) -> Statement {
    """
    accounts.link(\(account(call)), \(call.text("username")), \(call.integer("athlete")), \(call.integer("runner")),
      \(call.integer("reader")), \(call.text("checkin")), \(call.flag("unverified")))
    """
  }

  private static func unlink(_ call: CommandCall) -> Statement {
    let kinds = ["username", "athlete", "runner", "reader", "checkin"].filter(call.flag)
    return "accounts.unlink(\(account(call)), \(kinds))"
  }

  private static func grant(_ call: CommandCall) -> Statement {
    "accounts.grant_role(\(account(call)), \(call.text("role")), \(call.flag("unverified")))"
  }

  private static func revoke(_ call: CommandCall) -> Statement {
    "accounts.revoke_role(\(account(call)), \(call.text("role")))"
  }

  private static func disable(_ call: CommandCall) throws -> Statement {
    _ = try call.reason()
    return "accounts.disable(\(account(call)))"
  }

  private static func enable(_ call: CommandCall) -> Statement { "accounts.enable(\(account(call)))" }
}
