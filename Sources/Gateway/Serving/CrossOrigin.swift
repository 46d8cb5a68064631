import HTTPServing
import HTTPTypes

/// The rights of web pages of other origins: those that are listed may do everything that a token allows.
struct CrossOrigin: Sendable {
  let origins: Set<String>

  private static let allowedHeaders = "Authorization, Content-Type, Idempotency-Key, X-Request-Id"
  private static let exposedHeaders = "ETag, Link, Retry-After, X-Request-Id"
  private static let maxAgeSeconds = 600

  /// The origin that a page of it calls from, where it is listed.
  func origin(of head: RequestHead) -> String? {
    head.fields[.origin].flatMap { origins.contains($0) ? $0 : nil }
  }

  /// The answer to OPTIONS; nil where the origin is not listed.
  func preflight(_ head: RequestHead, _ methods: [String]) -> Response? {
    guard origin(of: head) != nil else { return nil }
    var response = Response(status: 204)
    response.fields[.accessControlAllowMethods] = methods.joined(separator: ", ")
    response.fields[.accessControlAllowHeaders] = Self.allowedHeaders
    response.fields[.accessControlMaxAge] = String(Self.maxAgeSeconds)
    return response
  }

  /// Adds the headers of every answer to a page. Caches must tell origins apart, also where this one is not listed.
  func mark(_ response: inout Response, _ head: RequestHead) {
    guard !origins.isEmpty else { return }
    response.fields[.vary] = [response.fields[.vary], "Origin"].compactMap { $0 }.joined(separator: ", ")
    guard let origin = origin(of: head) else { return }
    response.fields[.accessControlAllowOrigin] = origin
    response.fields[.accessControlExposeHeaders] = Self.exposedHeaders
  }
}
