import ArgumentParser
import ControlAPI
import ControlClient

struct AccountCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "account", abstract: "Manage gateway accounts and their identities.",
    subcommands: leaves)
}

extension AccountCommand.List {
  func text(_ answer: [AccountAnswer], _ style: Style) -> String { AccountAnswer.text(answer, style) }
}

extension AccountCommand.Show { typealias Answer = AccountAnswer }
extension AccountCommand.Create { typealias Answer = LinkAnswer }
extension AccountCommand.Reset { typealias Answer = LinkAnswer }
extension AccountCommand.Link { typealias Answer = AccountAnswer }
extension AccountCommand.Unlink { typealias Answer = AccountAnswer }
extension AccountCommand.Grant { typealias Answer = AccountAnswer }
extension AccountCommand.Revoke { typealias Answer = AccountAnswer }
extension AccountCommand.Disable { typealias Answer = AccountAnswer }
extension AccountCommand.Enable { typealias Answer = AccountAnswer }

// The rest of this file is generated from ControlAPI: `swift run settled-texts`.

extension AccountCommand {
  static let leaves: [any ParsableCommand.Type] = [
    List.self,
    Show.self,
    Create.self,
    Reset.self,
    Link.self,
    Unlink.self,
    Grant.self,
    Revoke.self,
    Disable.self,
    Enable.self,
  ]

  struct List: ControlCommand {
    static let command = CommandDescription.accountList

    @Option(help: .of(command, "limit"))
    var limit: Int64?

    @Option(help: .of(command, "after"))
    var after: Int64?

    @OptionGroup var options: ControlOptions

    private var values: KeyValuePairs<String, ParameterValue?> {
      [
        "limit": .given(limit),
        "after": .given(after),
      ]
    }

    var request: ControlRequest { ControlRequest(Self.command, values) }
  }

  struct Show: ControlCommand {
    static let command = CommandDescription.accountShow

    @Argument(help: .of(command, "account"))
    var account: String

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command, ["account": .given(account)]) }
  }

  struct Create: ControlCommand {
    static let command = CommandDescription.accountCreate

    @Option(help: .of(command, "email"))
    var email: String

    @Option(help: .of(command, "username"))
    var username: String?

    @Option(help: .of(command, "athlete"))
    var athlete: Int64?

    @Option(help: .of(command, "runner"))
    var runner: Int64?

    @Option(help: .of(command, "reader"))
    var reader: Int64?

    @Option(help: .of(command, "checkin"))
    var checkin: String?

    @OptionGroup var options: ControlOptions

    private var values: KeyValuePairs<String, ParameterValue?> {
      [
        "email": .given(email),
        "username": .given(username),
        "athlete": .given(athlete),
        "runner": .given(runner),
        "reader": .given(reader),
        "checkin": .given(checkin),
      ]
    }

    var request: ControlRequest { ControlRequest(Self.command, values) }
  }

  struct Reset: ControlCommand {
    static let command = CommandDescription.accountReset

    @Argument(help: .of(command, "account"))
    var account: String

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command, ["account": .given(account)]) }
  }

  struct Link: ControlCommand {
    static let command = CommandDescription.accountLink

    @Argument(help: .of(command, "account"))
    var account: String

    @Option(help: .of(command, "username"))
    var username: String?

    @Option(help: .of(command, "athlete"))
    var athlete: Int64?

    @Option(help: .of(command, "runner"))
    var runner: Int64?

    @Option(help: .of(command, "reader"))
    var reader: Int64?

    @Option(help: .of(command, "checkin"))
    var checkin: String?

    @Flag(help: .of(command, "unverified"))
    var unverified = false

    @OptionGroup var options: ControlOptions

    private var values: KeyValuePairs<String, ParameterValue?> {
      [
        "account": .given(account),
        "username": .given(username),
        "athlete": .given(athlete),
        "runner": .given(runner),
        "reader": .given(reader),
        "checkin": .given(checkin),
        "unverified": .given(unverified),
      ]
    }

    var request: ControlRequest { ControlRequest(Self.command, values) }
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

    private var values: KeyValuePairs<String, ParameterValue?> {
      [
        "account": .given(account),
        "username": .given(username),
        "athlete": .given(athlete),
        "runner": .given(runner),
        "reader": .given(reader),
        "checkin": .given(checkin),
      ]
    }

    var request: ControlRequest { ControlRequest(Self.command, values) }
  }

  struct Grant: ControlCommand {
    static let command = CommandDescription.accountGrant

    @Argument(help: .of(command, "account"))
    var account: String

    @Argument(help: .of(command, "role"))
    var role: String

    @Flag(help: .of(command, "unverified"))
    var unverified = false

    @OptionGroup var options: ControlOptions

    private var values: KeyValuePairs<String, ParameterValue?> {
      [
        "account": .given(account),
        "role": .given(role),
        "unverified": .given(unverified),
      ]
    }

    var request: ControlRequest { ControlRequest(Self.command, values) }
  }

  struct Revoke: ControlCommand {
    static let command = CommandDescription.accountRevoke

    @Argument(help: .of(command, "account"))
    var account: String

    @Argument(help: .of(command, "role"))
    var role: String

    @OptionGroup var options: ControlOptions

    private var values: KeyValuePairs<String, ParameterValue?> {
      [
        "account": .given(account),
        "role": .given(role),
      ]
    }

    var request: ControlRequest { ControlRequest(Self.command, values) }
  }

  struct Disable: ControlCommand {
    static let command = CommandDescription.accountDisable

    @Argument(help: .of(command, "account"))
    var account: String

    @Option(help: .of(command, "reason"))
    var reason: String

    @OptionGroup var options: ControlOptions

    private var values: KeyValuePairs<String, ParameterValue?> {
      [
        "account": .given(account),
        "reason": .given(reason),
      ]
    }

    var request: ControlRequest { ControlRequest(Self.command, values) }
  }

  struct Enable: ControlCommand {
    static let command = CommandDescription.accountEnable

    @Argument(help: .of(command, "account"))
    var account: String

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command, ["account": .given(account)]) }
  }
}
