/// An account and its identities in the systems.
struct AccountAnswer: ShownAnswer {
  let id: Int64
  let email: String
  let displayName: String
  let username: String?
  let athleteId: Int64?
  let runnerId: Int64?
  let readerId: Int64?
  let checkinId: String?
  let roles: [String]
  let hasPassword: Bool
  let createdAt: String
  let verifiedAt: String?
  let disabledAt: String?

  /// `username ann, athlete 7`.
  var persons: String {
    let persons: [(String, String?)] = [
      ("username", username), ("athlete", athleteId.map(String.init)), ("runner", runnerId.map(String.init)),
      ("reader", readerId.map(String.init)), ("checkin", checkinId),
    ]
    return persons.compactMap { name, value in value.map { "\(name) \($0)" } }.joined(separator: ", ")
  }

  var state: String {
    if disabledAt != nil { return "disabled" }
    if !hasPassword { return "no password yet" }
    return verifiedAt == nil ? "unverified" : "active"
  }

  func text(_ style: Style) -> String {
    Pairs.text(
      [
        ("account", String(id)), ("email", email), ("name", displayName), ("identities", persons),
        ("roles", roles.joined(separator: ", ")), ("state", state), ("created", Instants.text(createdAt)),
        ("verified", verifiedAt.map(Instants.text) ?? "no: no link sent to this address has been used"),
      ] + (disabledAt.map { [("disabled", Instants.text($0))] } ?? []), style)
  }

  static func text(_ accounts: [AccountAnswer], _ style: Style) -> String {
    Table(
      columns: [
        .right("ID"), .left("EMAIL", shrinks: true), .left("IDENTITIES", shrinks: true), .left("ROLES"), .left("STATE"),
      ],
      rows: accounts.map { account in
        Table.Row(
          [String(account.id), account.email, account.persons, account.roles.joined(separator: ","), account.state],
          colour: account.disabledAt != nil ? .red : nil)
      }
    ).text(style)
  }
}
