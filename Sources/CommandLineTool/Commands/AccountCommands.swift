import ArgumentParser
import ControlAPI
import ControlClient

struct AccountCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "account", abstract: "Say who logs in at the gateway, and whom of the systems they are.",
    subcommands: [
      List.self, Show.self, Create.self, Reset.self, Link.self, Unlink.self, Grant.self, Revoke.self, Disable.self,
      Enable.self,
    ])

  struct List: ControlCommand {
    static let command = CommandDescription.accountList

    @Option(help: .of(command, "limit"))
    var limit: Int64?

    @Option(help: .of(command, "after"))
    var after: Int64?

    @OptionGroup var options: ControlOptions

    var request: ControlRequest {
      ControlRequest(Self.command, ["limit": limit.map { .integer($0) }, "after": after.map { .integer($0) }])
    }

    func text(_ answer: [AccountAnswer], _ style: Style) -> String { AccountAnswer.text(answer, style) }
  }

  struct Show: ControlCommand {
    static let command = CommandDescription.accountShow

    @Argument(help: .of(command, "account"))
    var account: String

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command, ["account": .text(account)]) }

    func text(_ answer: AccountAnswer, _ style: Style) -> String { answer.text(style) }
  }

  struct Disable: ControlCommand {
    static let command = CommandDescription.accountDisable

    @Argument(help: .of(command, "account"))
    var account: String

    @Option(help: .of(command, "reason"))
    var reason: String

    @OptionGroup var options: ControlOptions

    var request: ControlRequest {
      ControlRequest(Self.command, ["account": .text(account), "reason": .text(reason)])
    }

    func text(_ answer: AccountAnswer, _ style: Style) -> String { answer.text(style) }
  }

  struct Enable: ControlCommand {
    static let command = CommandDescription.accountEnable

    @Argument(help: .of(command, "account"))
    var account: String

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command, ["account": .text(account)]) }

    func text(_ answer: AccountAnswer, _ style: Style) -> String { answer.text(style) }
  }
}
