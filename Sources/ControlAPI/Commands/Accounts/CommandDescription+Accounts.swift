extension CommandDescription {
  static let accountSystem = [
    accountList, accountShow, accountCreate, accountReset, accountLink, accountUnlink, accountGrant, accountRevoke,
    accountDisable, accountEnable,
  ]

  private static let account = CommandParameter.required(
    "account", .text, "The account's id, email address or username.")

  /// An account's identities in the systems.
  private static let persons: [CommandParameter] = [
    .optional("username", .text, "The username in team talks and points."),
    .optional("athlete", .integer, "The athlete's id in races."),
    .optional("runner", .integer, "The runner's id in seasonal points."),
    .optional("reader", .integer, "The user's id in achievements."),
    .optional("checkin", .text, "The user id in daily check-ins."),
  ]

  private static let unverified = CommandParameter.optional(
    "unverified", .boolean, "Allow the change for a registered account with an unverified address.")

  package static let accountList = CommandDescription(
    "account.list", .get, "/v1/accounts", level: .admin, summary: "List the accounts, oldest first.",
    parameters: [
      .optional("limit", .integer, "Maximum number of rows, 1 to 100 (default: 100)."),
      .optional("after", .integer, "Only accounts after this id: pass the last id on the previous page."),
    ], answer: .array(.account))

  package static let accountShow = CommandDescription(
    "account.show", .get, "/v1/accounts/{account}", level: .admin,
    summary: "Show an account and its identities in the systems.",
    parameters: [account], answer: .account)

  package static let accountCreate = CommandDescription(
    "account.create", .post, "/v1/accounts", level: .admin,
    summary: "Create an account; returns a single-use link, valid for three days, to set its password.",
    parameters: [.required("email", .text, "The email address to log in with.")] + persons,
    answer: .object(["account": .account, "link": .nullable(.text)]))

  package static let accountReset = CommandDescription(
    "account.reset", .post, "/v1/accounts/{account}/reset", level: .admin,
    summary: "Get a single-use link, valid for three days, to reset an account's password; revokes earlier links.",
    parameters: [account], answer: .object(["account": .account, "link": .nullable(.text)]))

  package static let accountLink = CommandDescription(
    "account.link", .post, "/v1/accounts/{account}/link", level: .admin,
    summary: "Link an account to an identity; revokes the account's tokens.",
    parameters: [account] + persons + [unverified], answer: .account)

  package static let accountUnlink = CommandDescription(
    "account.unlink", .post, "/v1/accounts/{account}/unlink", level: .admin,
    summary: "Unlink an account from an identity; revokes the account's tokens.",
    parameters: [account] + persons.map { .optional($0.name, .boolean, removal($0.meaning)) },
    answer: .account)

  /// `Unlink the athlete's id in races.`
  private static func removal(_ meaning: String) -> String {
    "Unlink " + meaning.prefix(1).lowercased() + meaning.dropFirst()
  }

  private static let role = CommandParameter.required(
    "role", .text, "The role: moderator (reviews flagged activities) or payments (books deposits).",
    isArgument: true)

  package static let accountGrant = CommandDescription(
    "account.grant", .post, "/v1/accounts/{account}/grant", level: .admin,
    summary: "Grant a role to an account; revokes the account's tokens.", parameters: [account, role, unverified],
    answer: .account)

  package static let accountRevoke = CommandDescription(
    "account.revoke", .post, "/v1/accounts/{account}/revoke", level: .admin,
    summary: "Remove a role from an account; revokes the account's tokens.", parameters: [account, role],
    answer: .account)

  package static let accountDisable = CommandDescription(
    "account.disable", .post, "/v1/accounts/{account}/disable", level: .admin,
    summary: "Disable login for an account; revokes the account's tokens.", parameters: [account, .reason],
    answer: .account)

  package static let accountEnable = CommandDescription(
    "account.enable", .post, "/v1/accounts/{account}/enable", level: .admin,
    summary: "Let a disabled account log in again.", parameters: [account], answer: .account)
}

extension AnswerSchema {
  fileprivate static let account = AnswerSchema.object([
    "id": .integer, "email": .text, "displayName": .text, "username": .nullable(.text),
    "athleteId": .nullable(.integer),
    "runnerId": .nullable(.integer), "readerId": .nullable(.integer), "checkinId": .nullable(.text),
    "roles": .array(.choice(["moderator", "payments"])), "hasPassword": .boolean, "createdAt": .instant,
    "verifiedAt": .nullable(.instant), "disabledAt": .nullable(.instant),
  ])
}
