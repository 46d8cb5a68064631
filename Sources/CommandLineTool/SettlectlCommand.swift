package import ArgumentParser
import ControlAPI

package struct SettlectlCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "settlectl",
    abstract: "Inspect and control the settled daemon.",
    discussion: """
      Exit codes: 0 done; 1 a check found differences, or a rule refused the command; 64 usage error; 69 the daemon \
      is unreachable; 70 bug; 75 try again later; 77 permission denied; 78 invalid configuration.

      Each command's summary ends with the required level in brackets: read, operate or admin.
      """,
    version: "settlectl \(Version.current)",
    groupedSubcommands: [
      CommandGroup(
        name: "Query",
        subcommands: [
          StatusCommand.self, JobsCommand.self, NextCommand.self, TimelineCommand.self, LatenessCommand.self,
          OccurrencesCommand.self, OccurrenceDaysCommand.self, FailuresCommand.self,
          NodesCommand.self, SettingsCommand.self, AuditCommand.self, DoctorCommand.self, WatchCommand.self,
          CallerCommand.self,
          ZoneCommand.self,
          DashboardCommand.self,
        ]),
      CommandGroup(
        name: "Control",
        subcommands: [
          JobCommand.self, ScheduleCommand.self, RetryCommand.self, DropCommand.self, SetCommand.self,
          DrainCommand.self, UndrainCommand.self, ReloadCommand.self, ClockCommand.self, RestoreCommand.self,
        ]),
      CommandGroup(
        name: "Races and money",
        subcommands: [
          RaceCommand.self, ReviewCommand.self, ActivityCommand.self, AthleteCommand.self, WithdrawalCommand.self,
          WithdrawalsCommand.self, LedgerCommand.self,
        ]),
      CommandGroup(name: "Points and check-ins", subcommands: [SeasonsCommand.self, CheckinsCommand.self]),
      CommandGroup(name: "Connections", subcommands: [StravaCommand.self]),
      CommandGroup(name: "Accounts and people", subcommands: [AccountCommand.self, PersonCommand.self]),
    ])

  package init() {}
}
