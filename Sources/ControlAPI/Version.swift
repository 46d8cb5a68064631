/// The version of the daemon and the client, which are released together.
package enum Version {
  package static let current = "0.1.0"
}
