import ControlAPI
import Dashboard
import TextCoding

/// A value of a schema, each array with so many elements.
struct SampleAnswer {
  /// What stands in each text.
  let text: String
  let count: Int
  /// What stands in each number and each instant.
  let number: JSONValue
  let instant: String
  /// Which text of a choice stands there, counted from 0.
  let choice: Int
  /// The path of a leaf that has another value than it would have.
  let changed: String?
  /// Texts and numbers at certain paths, such as the id that a view is about.
  let fixed: [String: JSONValue]
  /// The paths of all leaves.
  private(set) var paths: [String] = []

  init(
    text: String = "leaf", count: Int = 1, number: JSONValue = .integer(1_234_567),
    instant: String = Answers.now.advanced(bySeconds: -3_600).text, choice: Int = 0, changed: String? = nil,
    fixed: [String: JSONValue] = [:]
  ) {
    (self.text, self.count, self.changed, self.fixed) = (text, count, changed, fixed)
    (self.number, self.instant, self.choice) = (number, instant, choice)
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
    case .instant: .text(isChanged ? Answers.now.advanced(bySeconds: 90_061).text : instant)
    case .integer, .number: isChanged ? .integer(7_654_321) : number
    case .boolean: .boolean(!isChanged)
    case .choice(let texts): .text(isChanged ? texts[texts.count - 1] + "." : texts[choice % texts.count])
    default: .text(isChanged ? text + "-other" : text)
    }
  }
}
