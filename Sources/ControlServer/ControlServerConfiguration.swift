package import HTTPServing

/// The configuration of the control server.
package struct ControlServerConfiguration: Sendable {
  package var health: SocketSource
  package var control: SocketSource
  /// The rights of callers. Its `readers` is also the group of the control socket made by path.
  package var authorizer: Authorizer
  /// The daemon's version, for /openapi.json.
  package var version: String
  package var limits = ServingLimits()

  package init(health: SocketSource, control: SocketSource, authorizer: Authorizer, version: String) {
    self.health = health
    self.control = control
    self.authorizer = authorizer
    self.version = version
  }
}
