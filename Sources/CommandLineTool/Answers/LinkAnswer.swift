/// An account, and the link that sets its password.
struct LinkAnswer: ShownAnswer {
  let account: AccountAnswer
  let link: String?

  func text(_ style: Style) -> String {
    guard let link else {
      return account.text(style) + "\n\nThe link is not stored: only the first response to this request contains it."
    }
    let warning =
      Self.isLocal(link)
      ? "\n" + style("This link works only on this machine:", .yellow)
        + " its host is local. Set the gateway's address with settlectl set accounts.public_url URL." : ""
    return account.text(style) + """
      \n
      Use this link to set the password. It works once and expires after three days:
      \(Printable.line(link))
      The app serves the linked page. This page prompts for a password, and posts {"token", "password"} to
      auth/reset-password/confirm.
      """ + warning
  }

  /// Whether a link leads to the machine that opens it.
  static func isLocal(_ link: String) -> Bool {
    guard let start = link.firstRange(of: "://")?.upperBound else { return false }
    let host = link[start...].prefix { !"/?#".contains($0) }
    return ["127.", "localhost", "[::1]"].contains { host.hasPrefix($0) }
  }
}
