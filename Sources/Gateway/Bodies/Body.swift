import ControlAPI
import TextCoding

/// The body of a request that wants JSON.
enum Body {
  /// The text for PostgreSQL. Throws 400 where it is no JSON, or not of the schema's kind.
  ///
  /// An empty body is an empty object where the schema requires no member. Any content type
  /// is taken: curl declares a form.
  static func read(_ bytes: [UInt8], _ schema: AnswerSchema, depthMax: Int) throws(GatewayError) -> String {
    if bytes.allSatisfy({ [0x20, 0x0A, 0x0D, 0x09].contains($0) }) {
      guard !isRequired(schema) else { throw .json("the body is empty") }
      return "{}"
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .json("the body is not UTF-8") }
    do throws(JSONFault) {
      let kind = try check(bytes, depthMax: depthMax)
      if case .members = schema.unlimited, kind != .object { throw JSONFault("the body is not a JSON object") }
    } catch {
      throw .json(error.text)
    }
    return text
  }

  /// Whether an empty body is refused.
  static func isRequired(_ schema: AnswerSchema) -> Bool {
    guard case .members(let members) = schema.unlimited else { return true }
    return members.contains(where: \.isRequired)
  }
}
