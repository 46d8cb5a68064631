/// An account, and the link that sets its password.
struct LinkAnswer: ShownAnswer {
  let account: AccountAnswer
  let link: String?

  func text(_ style: Style) -> String {
    guard let link else {
      return account.text(style) + "\n\nThe first answer to this request has the link, which is not kept."
    }
    return account.text(style) + """
      \n
      This link sets the password, once and within three days:
      \(Printable.line(link))
      The app serves it: its page asks for a password, and posts {"token", "password"} to auth/reset-password/confirm.
      """
  }
}
