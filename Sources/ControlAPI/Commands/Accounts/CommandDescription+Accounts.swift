extension CommandDescription {
  static let accountSystem = [
    accountList, accountShow, accountCreate, accountReset, accountLink, accountUnlink, accountGrant, accountRevoke,
    accountDisable, accountEnable,
  ]

  private static let account = CommandParameter.required(
    "account", .text, "The account: its number, its address or its username.")

  /// An account's identities in the systems.
  private static let persons: [CommandParameter] = [
    .optional("username", .text, "The user of team talks and points."),
    .optional("athlete", .integer, "The athlete of races, by number."),
    .optional("runner", .integer, "The runner of seasonal points, by number."),
    .optional("reader", .integer, "The user of achievements, by number."),
    .optional("checkin", .text, "The user of daily check-ins."),
  ]

  private static let unverified = CommandParameter.optional(
    "unverified", .boolean, "Also change a registered account with an unverified address.")

  package static let accountList = CommandDescription(
    "account.list", .get, "/v1/accounts", level: .admin, summary: "The accounts, oldest first.",
    parameters: [
      .optional("limit", .integer, "How many: 1 to 100, by default 100."),
      .optional("after", .integer, "Only accounts after this one, the last of the previous page."),
    ], answer: .array(.account))

  package static let accountShow = CommandDescription(
    "account.show", .get, "/v1/accounts/{account}", level: .admin,
    summary: "An account and its identities in the systems.",
    parameters: [account], answer: .account)

  package static let accountCreate = CommandDescription(
    "account.create", .post, "/v1/accounts", level: .admin,
    summary: "Create an account; returns a link, valid once within three days, to set its password.",
    parameters: [.required("email", .text, "The address to log in with.")] + persons,
    answer: .object(["account": .account, "link": .nullable(.text)]))

  package static let accountReset = CommandDescription(
    "account.reset", .post, "/v1/accounts/{account}/reset", level: .admin,
    summary: "Get a link, valid once within three days, to reset an account's password; revokes earlier links.",
    parameters: [account], answer: .object(["account": .account, "link": .nullable(.text)]))

  package static let accountLink = CommandDescription(
    "account.link", .post, "/v1/accounts/{account}/link", level: .admin,
    summary: "Link an account to an identity; revokes its tokens.",
    parameters: [account] + persons + [unverified], answer: .account)

  package static let accountUnlink = CommandDescription(
    "account.unlink", .post, "/v1/accounts/{account}/unlink", level: .admin,
    summary: "Unlink an account from an identity; revokes its tokens.",
    parameters: [account] + persons.map { .optional($0.name, .boolean, "Remove: \($0.meaning)") },
    answer: .account)

  private static let role = CommandParameter.required(
    "role", .text, "moderator (decides on flagged activities) or payments (books deposits).", isArgument: true)

  package static let accountGrant = CommandDescription(
    "account.grant", .post, "/v1/accounts/{account}/grant", level: .admin,
    summary: "Grant a role to an account; revokes its tokens.", parameters: [account, role, unverified],
    answer: .account)

  package static let accountRevoke = CommandDescription(
    "account.revoke", .post, "/v1/accounts/{account}/revoke", level: .admin,
    summary: "Revoke a role from an account; revokes its tokens.", parameters: [account, role], answer: .account)

  package static let accountDisable = CommandDescription(
    "account.disable", .post, "/v1/accounts/{account}/disable", level: .admin,
    summary: "Disable an account's log-in; revokes its tokens.", parameters: [account, .reason], answer: .account)

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
