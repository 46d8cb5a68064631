package import HTTPTypes

/// A request's head: all that is known before its body.
package struct RequestHead: Sendable {
  package let method: String
  /// Path and query, as they came.
  package let target: String
  package let fields: HTTPFields

  package init(method: String, target: String, fields: HTTPFields = [:]) {
    self.method = method
    self.target = target
    self.fields = fields
  }

  /// The part before the first question mark.
  package var path: Substring { target.prefix { $0 != "?" } }

  /// The part after it; nil where there is none.
  package var query: Substring? {
    let path = path
    return path.endIndex == target.endIndex ? nil : target[target.index(after: path.endIndex)...]
  }
}
