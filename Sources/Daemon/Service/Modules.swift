package import Operations
import Accounts
import Achievements
import CheckIns
import HostClock
import HostProcess
import Racing
import Seasons
import Strava
import Engine
package import Postgres

/// The modules of this daemon.
package enum Modules {
  package static func all(_ configuration: Configuration) -> [any Module] { all(provider(configuration)) }

  /// The statements that give a copy of the database its own identity, in one transaction.
  package static var forks: [Statement] { [RestoreStatements.fork] + all(nil).flatMap(\.forks) }

  private static func all(_ provider: ProviderOptions?) -> [any Module] {
    [
      RacingModule(), CheckInsModule(), SeasonsModule(), AchievementsModule(),
      StravaModule(provider, random: Host.randomBytes, time: Host.timekeeper),
      AccountsModule(random: Host.randomBytes),
    ]
  }

  /// Nil if there is no client id.
  private static func provider(_ configuration: Configuration) -> ProviderOptions? {
    let provider = configuration.provider
    guard !provider.clientID.isEmpty else { return nil }
    return ProviderOptions(
      oauthBase: provider.oauthBase, apiBase: provider.apiBase, clientID: provider.clientID,
      clientSecret: provider.clientSecret, proxy: provider.proxy, key: provider.tokenKey,
      oldKeys: provider.oldTokenKeys, stateDirectory: configuration.stateDirectory)
  }
}
