import ArgumentParser
import ControlAPI
import ControlClient

struct SeasonsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "seasons", abstract: "Show and check points and rewards.", subcommands: leaves)
}

extension SeasonsCommand.Verify {
  struct Answer: Decodable {
    struct Difference: Decodable {
      let what: String
      let runnerId: Int64?
      let rewardId: Int64?
      let season: String?
      let year: String?
      let stored: Int64
      let computed: Int64

      var shown: [String] {
        let season = [season, year].compactMap { $0 }.joined(separator: " ")
        return [
          what, (runnerId ?? rewardId).map { "\($0)" } ?? "-", season.isEmpty ? "-" : season, "\(stored)",
          "\(computed)",
        ]
      }
    }

    let totals: Int64
    let rewards: Int64
    let differences: [Difference]
  }

  func text(_ answer: Answer, _ style: Style) -> String {
    let sum = "\(Counted.text(answer.totals, "total")), \(Counted.text(answer.rewards, "reward"))"
    if answer.differences.isEmpty { return sum + ": " + style("no differences", .green) }
    let table = Table(
      columns: [
        .left("WHAT", shrinks: true), .right("RUNNER/REWARD"), .left("SEASON"), .right("STORED"), .right("COMPUTED"),
      ],
      rows: answer.differences.map { Table.Row($0.shown) })
    return sum + ": " + style(Counted.text(answer.differences.count, "differs", "differ"), .red) + "\n\n"
      + table.text(style)
  }

  func isRefusal(_ answer: Answer) -> Bool { !answer.differences.isEmpty }
}

// The rest of this file is generated from ControlAPI: `swift run settled-texts`.

extension SeasonsCommand {
  static let leaves: [any ParsableCommand.Type] = [
    Status.self,
    Verify.self,
  ]

  struct Status: ControlCommand {
    static let command = CommandDescription.seasonsStatus

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command) }
  }

  struct Verify: ControlCommand {
    static let command = CommandDescription.seasonsVerify

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command) }
  }
}
