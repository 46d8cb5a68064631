import ConfigurationFiles
import ControlServer
import Glibc
import HTTPServing

/// The groups whose members may use the control socket, by number.
package struct SocketGroups: Sendable, Equatable {
  /// May read; also the group of the socket's file.
  package var readers: UInt32
  /// Nil: only root.
  package var operators: UInt32?
  package var admins: UInt32?
  /// Whether the default group does not exist here, so that the daemon's own group replaces it.
  package var isDefaultMissing = false

  /// Only the daemon's own group reads.
  static var ownOnly: SocketGroups { SocketGroups(readers: getegid(), operators: nil, admins: nil) }

  private init(readers: UInt32, operators: UInt32?, admins: UInt32?) {
    self.readers = readers
    self.operators = operators
    self.admins = admins
  }

  /// Looks the configured names up; a configured group that does not exist is an error, the default one is not.
  init(_ values: inout ConfigurationValues<DaemonKey>) {
    operators = Self.number(.operatorsGroup, &values)
    admins = Self.number(.adminsGroup, &values)
    readers = getegid()
    if values.isDefault(.socketGroup), (try? Self.find(DaemonKey.defaultSocketGroup)) ?? nil == nil {
      isDefaultMissing = true
    } else {
      readers = Self.number(.socketGroup, &values) ?? readers
    }
  }

  private static func number(_ key: DaemonKey, _ values: inout ConfigurationValues<DaemonKey>) -> UInt32? {
    values.read(key, else: nil) { values throws(ConfigurationError) in
      var number: UInt32?
      var failure: ConfigurationError?
      _ = try values.text(key) { name in
        guard !name.isEmpty else { return nil }
        do throws(ConfigurationError) { number = try find(name) } catch { failure = error }
        return number == nil && failure == nil ? "group \(name) does not exist" : nil
      }
      if let failure { throw failure }
      return number
    }
  }

  private static func find(_ name: String) throws(ConfigurationError) -> UInt32? {
    do {
      return try SystemGroup.number(of: name)
    } catch {
      throw ConfigurationError("groups", key: nil, error.description)
    }
  }
}
