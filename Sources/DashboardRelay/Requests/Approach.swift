/// What a request shows of its sender before anything is done for it.
struct Approach: Sendable {
  /// The uid at the other end of the connection; nil where the kernel does not have it.
  var peer: UInt32?
  var method: String
  var route: RelayRoute?
  /// The values of each field, as they came; a field may stand more than once.
  var host: [String]
  var origin: [String]
  var fetchSite: [String]
  var authorization: [String]
  var requestId: [String]
}
