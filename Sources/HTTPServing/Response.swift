package import HTTPTypes

/// A response: its status, its body, and the header fields that are not of the connection.
package struct Response: Sendable, Equatable {
  package var status: Int
  package var fields: HTTPFields
  package var body: String

  package init(status: Int, contentType: String? = nil, body: String = "") {
    self.status = status
    self.body = body
    fields = [:]
    if let contentType { fields[.contentType] = contentType }
  }

  /// Whether a response of this status has a body and a length (RFC 9110).
  package var hasContent: Bool { status != 204 && status != 304 }

  /// `closes`: whether the connection ends with this response.
  func head(closes: Bool) -> HTTPResponse {
    var head = HTTPResponse(status: .init(code: status), headerFields: fields)
    if hasContent { head.headerFields[.contentLength] = String(body.utf8.count) }
    if closes { head.headerFields[.connection] = "close" }
    return head
  }
}
