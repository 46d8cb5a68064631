import Engine
import TextCoding
import Operations
import HostProcess
import ControlAPI
import ControlServer
import Logging
import Synchronization

/// `reload`: reads the configuration again and applies the keys that can change while the daemon runs: the log level
/// and the groups.
///
/// An invalid configuration changes nothing. Keys that need a restart are named in the answer.
final class Reload: Sendable {
  private struct State {
    var running: Configuration
    var groupsChanged: @Sendable (SocketGroups) -> Void = { _ in }
  }

  private let options: ConfigurationOptions
  private let log: LiveLog
  private let state: Mutex<State>

  init(options: ConfigurationOptions, running: Configuration, log: LiveLog) {
    self.options = options
    self.log = log
    state = Mutex(State(running: running))
  }

  func onGroups(_ change: @escaping @Sendable (SocketGroups) -> Void) {
    state.withLock { $0.groupsChanged = change }
  }

  var command: Command {
    Command(.reload, .local { [self] _ in try reload() })
  }

  /// Whether the configuration on the disk is valid, and in force.
  var finding: Check.Finding {
    let new: Configuration
    do {
      new = try options.read()
    } catch {
      return .init(
        "the configuration is not valid: \("\(error)".replacing("\n", with: "; "))", ok: false,
        remedy: "settled check-config, then settlectl reload; a restart with this configuration would fail")
    }
    let running = state.withLock { $0.running }
    let later = Self.needRestart(running, new)
    if !later.isEmpty {
      return .init(
        "these keys have changed since startup: \(later.joined(separator: ", "))", ok: false,
        remedy: "systemctl restart settled, or revert them")
    }
    return running.logLevel == new.logLevel && running.groups == new.groups
      ? .init("the configuration is valid and in effect")
      : .init("the log level or the groups have changed since the last reload", ok: false, remedy: "settlectl reload")
  }

  private func reload() throws -> CommandChange {
    let new: Configuration
    do {
      new = try options.read()
    } catch let exit as Exit {
      log.logger.error(
        "the new configuration is not valid; the old one stays in effect", metadata: ["error": "\(exit)"])
      throw CommandError(.configuration, rule: "configuration", exit.description.replacing("\n", with: "; "))
    }
    let (old, groupsChanged) = state.withLock { state in
      let old = state.running
      state.running.logLevel = new.logLevel
      state.running.groups = new.groups
      return (old, state.groupsChanged)
    }
    log.setLevel(new.logLevel)
    groupsChanged(new.groups)
    let later = Self.needRestart(old, new)
    log.logger.notice("the configuration was reloaded", metadata: ["restartNeeded": "\(later)"])
    return CommandChange(
      target: "configuration", before: Self.json(old, later: []).json, after: Self.json(new, later: later).json)
  }

  /// The keys with new values that apply only after a restart.
  private static func needRestart(_ old: Configuration, _ new: Configuration) -> [String] {
    var keys: [String] = []
    if old.databaseURL != new.databaseURL { keys.append("database_url") }
    if old.schedulesDatabaseURL != new.schedulesDatabaseURL { keys.append("schedules_database_url") }
    if old.stateDirectory != new.stateDirectory { keys.append("state_directory") }
    if old.preparedStatements != new.preparedStatements { keys.append("prepared_statements") }
    if old.settlementLanes != new.settlementLanes { keys.append("settlement_lanes") }
    if old.node != new.node { keys.append("node") }
    if old.controlSocket != new.controlSocket { keys.append("control_socket") }
    if old.healthSocket != new.healthSocket { keys.append("health_socket") }
    if old.provider != new.provider { keys.append("keys that begin with strava_ or token_key, or https_proxy") }
    return keys
  }

  /// No secret: the database's URL is not shown.
  private static func json(_ configuration: Configuration, later: [String]) -> JSONValue {
    [
      "logLevel": .text("\(configuration.logLevel)"),
      "operatorsGroup": configuration.groups.operators.map { .integer(Int64($0)) } ?? .null,
      "adminsGroup": configuration.groups.admins.map { .integer(Int64($0)) } ?? .null,
      "restartNeeded": .array(later.map(JSONValue.text)),
    ]
  }
}
