import ArgumentParser
import ControlAPI
import ControlClient

/// Whom of the systems an account is, as options.
struct PersonOptions: ParsableArguments {
  @Option(help: .of(.accountLink, "username"))
  var username: String?

  @Option(help: .of(.accountLink, "athlete"))
  var athlete: Int64?

  @Option(help: .of(.accountLink, "runner"))
  var runner: Int64?

  @Option(help: .of(.accountLink, "reader"))
  var reader: Int64?

  @Option(help: .of(.accountLink, "checkin"))
  var checkin: String?

  /// These of a command, behind what names the account.
  func request(_ command: CommandDescription, _ name: String, _ value: String) -> ControlRequest {
    ControlRequest(
      command,
      [
        name: .text(value), "username": username.map { .text($0) }, "athlete": athlete.map { .integer($0) },
        "runner": runner.map { .integer($0) }, "reader": reader.map { .integer($0) },
        "checkin": checkin.map { .text($0) },
      ])
  }
}

extension AccountCommand {
  /// An account, and the link that sets its password.
  struct LinkAnswer: Decodable {
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

  struct Create: ControlCommand {
    static let command = CommandDescription.accountCreate

    @Option(help: .of(command, "email"))
    var email: String

    @OptionGroup var persons: PersonOptions
    @OptionGroup var options: ControlOptions

    var request: ControlRequest { persons.request(Self.command, "email", email) }

    func text(_ answer: LinkAnswer, _ style: Style) -> String { answer.text(style) }
  }

  struct Reset: ControlCommand {
    static let command = CommandDescription.accountReset

    @Argument(help: .of(command, "account"))
    var account: String

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command, ["account": .text(account)]) }

    func text(_ answer: LinkAnswer, _ style: Style) -> String { answer.text(style) }
  }

  struct Link: ControlCommand {
    static let command = CommandDescription.accountLink

    @Argument(help: .of(command, "account"))
    var account: String

    @OptionGroup var persons: PersonOptions
    @OptionGroup var options: ControlOptions

    var request: ControlRequest { persons.request(Self.command, "account", account) }

    func text(_ answer: AccountAnswer, _ style: Style) -> String { answer.text(style) }
  }

  struct Unlink: ControlCommand {
    static let command = CommandDescription.accountUnlink

    @Argument(help: .of(command, "account"))
    var account: String

    @Flag(help: .of(command, "username"))
    var username = false

    @Flag(help: .of(command, "athlete"))
    var athlete = false

    @Flag(help: .of(command, "runner"))
    var runner = false

    @Flag(help: .of(command, "reader"))
    var reader = false

    @Flag(help: .of(command, "checkin"))
    var checkin = false

    @OptionGroup var options: ControlOptions

    var request: ControlRequest {
      ControlRequest(
        Self.command,
        [
          "account": .text(account), "username": flag(username), "athlete": flag(athlete), "runner": flag(runner),
          "reader": flag(reader), "checkin": flag(checkin),
        ])
    }

    private func flag(_ isGiven: Bool) -> ParameterValue? { isGiven ? .boolean(true) : nil }

    func text(_ answer: AccountAnswer, _ style: Style) -> String { answer.text(style) }
  }

  struct Grant: ControlCommand {
    static let command = CommandDescription.accountGrant

    @Argument(help: .of(command, "account"))
    var account: String

    @Argument(help: .of(command, "role"))
    var role: String

    @OptionGroup var options: ControlOptions

    var request: ControlRequest {
      ControlRequest(Self.command, ["account": .text(account), "role": .text(role)])
    }

    func text(_ answer: AccountAnswer, _ style: Style) -> String { answer.text(style) }
  }

  struct Revoke: ControlCommand {
    static let command = CommandDescription.accountRevoke

    @Argument(help: .of(command, "account"))
    var account: String

    @Argument(help: .of(command, "role"))
    var role: String

    @OptionGroup var options: ControlOptions

    var request: ControlRequest {
      ControlRequest(Self.command, ["account": .text(account), "role": .text(role)])
    }

    func text(_ answer: AccountAnswer, _ style: Style) -> String { answer.text(style) }
  }
}
