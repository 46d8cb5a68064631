import ControlAPI
import Dashboard
import TextCoding

/// A value of a schema, each array with so many elements.
struct SampleAnswer {
  /// What stands in each text.
  var text = "leaf"
  var count = 1
  /// The path of a leaf that has another value than it would have.
  var changed: String?
  /// Texts and numbers at certain paths, such as the id that a view is about.
  var fixed: [String: JSONValue] = [:]
  /// The paths of all leaves.
  private(set) var paths: [String] = []

  init(text: String = "leaf", count: Int = 1, changed: String? = nil, fixed: [String: JSONValue] = [:]) {
    (self.text, self.count, self.changed, self.fixed) = (text, count, changed, fixed)
  }

  mutating func value(_ schema: AnswerSchema, at path: String) -> JSONValue {
    if case .null? = fixed[path] { return .null }
    switch schema {
    case .array(let element): return .array((0..<count).map { _ in value(element, at: path) })
    case .members(let members):
      return .object(members.map { ($0.name, value($0.schema, at: path + "." + $0.name)) })
    case .nullable(let schema), .limited(let schema, _): return value(schema, at: path)
    case .anyOf(let schemas): return value(schemas[schemas.count - 1], at: path)
    default: break
    }
    paths.append(path)
    let isChanged = path == changed
    if let value = fixed[path] { return isChanged ? .text("other") : value }
    return switch schema {
    case .instant: .text(Answers.now.advanced(bySeconds: isChanged ? 90_061 : -3_600).text)
    case .integer, .number: .integer(isChanged ? 7_654_321 : 1_234_567)
    case .boolean: .boolean(!isChanged)
    case .choice(let texts): .text(isChanged ? texts[texts.count - 1] + "." : texts[0])
    default: .text(isChanged ? text + "-other" : text)
    }
  }
}
