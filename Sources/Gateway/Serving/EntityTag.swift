import Crypto
import HTTPServing
import HTTPTypes

/// Strong entity tags (RFC 9110) of what everybody may read.
enum EntityTag {
  /// Adds the tag; the answer becomes 304 where the client has it already.
  static func mark(_ response: inout Response, _ head: RequestHead) {
    let digest = SHA256.hash(data: Array(response.body.utf8)).prefix(16)
    let tag = "\"" + digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "\""
    response.fields[.eTag] = tag
    response.fields[.cacheControl] = "no-cache"
    response.fields[.vary] = "Authorization"
    guard isKnown(tag, head.fields[values: .ifNoneMatch]) else { return }
    response.status = 304
    response.body = ""
    response.fields[.contentType] = nil
  }

  private static func isKnown(_ tag: String, _ fields: [String]) -> Bool {
    fields.joined(separator: ",").split(separator: ",").contains { piece in
      let text = piece.drop { $0 == " " || $0 == "\t" }
      let trimmed = text.prefix { $0 != " " && $0 != "\t" }
      // The comparison is the weak one: a proxy that compresses makes a tag weak.
      return trimmed == "*" || trimmed == tag || trimmed == "W/" + tag
    }
  }
}
