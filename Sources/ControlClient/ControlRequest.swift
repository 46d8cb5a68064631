package import ControlAPI
import TextCoding

/// A request to the daemon.
package struct ControlRequest: Sendable, Equatable {
  package let isPost: Bool
  /// Path and query, encoded.
  package let target: String
  /// The JSON body of a POST.
  package let body: String?
  package var requestId: String?

  /// Values go where the command expects them; a parameter without a value is left out.
  package init(_ command: CommandDescription, _ values: KeyValuePairs<String, ParameterValue?> = [:]) {
    self.init(command, given: values.compactMap { name, value in value.map { (name: name, value: $0) } })
  }

  /// Nil if the command does not accept these arguments, or needs another one.
  package init?(_ command: CommandDescription, checking arguments: [String: ParameterValue]) {
    for (name, value) in arguments {
      guard let parameter = command.parameter(name) else { return nil }
      switch (parameter.kind, value) {
      case (.text, .text), (.integer, .integer), (.boolean, .boolean): break
      default: return nil
      }
    }
    guard command.parameters.allSatisfy({ !$0.isRequired || arguments[$0.name] != nil }) else { return nil }
    self.init(command, given: arguments.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) })
  }

  private init(_ command: CommandDescription, given: [(name: String, value: ParameterValue)]) {
    for (name, _) in given { precondition(command.parameter(name) != nil, "\(command.name) takes no \(name)") }
    let template = PathTemplate(command.path)
    let path = template.filled { name in
      guard let value = given.first(where: { $0.name == name })?.value else {
        preconditionFailure("\(command.name) requires \(name)")
      }
      return Self.text(value)
    }
    let others = given.filter { !template.parameters.contains($0.name) }
    isPost = command.method == .post
    if isPost {
      target = path
      body = JSONText.object(others.map { ($0.name, Self.json($0.value)) })
    } else {
      let pairs = others.map { PercentCoding.encode($0.name) + "=" + PercentCoding.encode(Self.text($0.value)) }
      target = path + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&"))
      body = nil
    }
  }

  private static func text(_ value: ParameterValue) -> String {
    switch value {
    case .text(let text): text
    case .integer(let number): String(number)
    case .boolean(let flag): String(flag)
    }
  }

  private static func json(_ value: ParameterValue) -> String {
    if case .text(let text) = value { JSONText.quoted(text) } else { text(value) }
  }
}

/// The daemon's answer.
package struct ControlResponse: Sendable, Equatable {
  package let status: Int
  package let body: String

  package init(status: Int, body: String) {
    self.status = status
    self.body = body
  }
}
