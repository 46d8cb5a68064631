/// The value of each key and where it came from, for errors that say so.
package struct ConfigurationValues<Key: ConfigurationKey> {
  private var values: [Key: (value: String, source: String)] = [:]
  private let path: String
  private let isPublic: Bool

  /// The errors so far: lines, keys, variables.
  package private(set) var errors: [ConfigurationError]
  private let unreadable: Set<String>
  private let hasUnreadableLines: Bool

  /// Variables win over lines, credentials (by key) over both.
  package init(_ sources: ConfigurationSources<Key>) {
    let (file, environment, credentials) = (sources.file, sources.environment, sources.credentials)
    path = file.path
    isPublic = file.isPublic
    errors = file.errors
    hasUnreadableLines = !file.errors.isEmpty
    unreadable = file.unreadableKeys
    for line in file.lines {
      let source = "\(file.path):\(line.number)"
      guard let key = Key(rawValue: line.key) else {
        errors.append(ConfigurationError(source, key: line.key, "is not a key of this file"))
        continue
      }
      if let earlier = values[key] {
        errors.append(ConfigurationError(source, key: line.key, "is already set at \(earlier.source)"))
      } else {
        values[key] = (line.value, source)
      }
    }
    for key in Key.allCases {
      if let value = environment[key.variable] { values[key] = (value, "environment \(key.variable)") }
      if let value = credentials[key] { values[key] = (value, "credential \(key.credential ?? "")") }
    }
    // A variable is another way to write a line: one that is mistyped must not be passed over.
    let known = Set(Key.allCases.map(\.variable))
    for name in environment.keys.sorted()
    where name.hasPrefix(Key.variablePrefix) && !known.contains(name) && !Key.isForeign(name) {
      errors.append(ConfigurationError("environment", key: name, "does not match any key"))
    }
  }

  /// Reads a value, or takes note of what is wrong with it; nothing more is said of a key whose line cannot be read.
  package mutating func read<Value>(
    _ key: Key, else fallback: Value, _ body: (ConfigurationValues) throws(ConfigurationError) -> Value
  ) -> Value {
    if values[key] == nil, unreadable.contains(key.rawValue) { return fallback }
    do {
      return try body(self)
    } catch {
      // Nobody knows which key a line without any was meant to be.
      let isMissing = values[key] == nil && key.defaultValue == nil
      if !(isMissing && hasUnreadableLines) { errors.append(error) }
      return fallback
    }
  }

  /// The warning about a value that holds a secret: nil where it is a credential.
  package func secretWarning(_ key: Key, _ what: String) -> String? {
    guard let (_, source) = values[key], let credential = key.credential, !source.hasPrefix("credential") else {
      return nil
    }
    let readers = isPublic && source.hasPrefix("\(path):") ? ", and anyone can read it" : ""
    return "\(source): \(key.rawValue): contains \(what)\(readers): put it in the \(credential) credential"
  }

  /// Whether nobody set the key.
  package func isDefault(_ key: Key) -> Bool { values[key] == nil }

  /// The value of a key; `problem` returns what is wrong with it, or nil.
  package func text(_ key: Key, problem: (String) -> String?) throws(ConfigurationError) -> String {
    let (value, source) = try found(key)
    if let problem = problem(value) {
      throw ConfigurationError(isDefault(key) ? path : source, key: key.rawValue, problem)
    }
    return value
  }

  package func choice<Value>(_ key: Key, _ choices: [String: Value]) throws(ConfigurationError) -> Value {
    let (value, source) = try found(key)
    guard let chosen = choices[value] else {
      let names = choices.keys.sorted().joined(separator: ", ")
      throw ConfigurationError(source, key: key.rawValue, "must be one of \(names)")
    }
    return chosen
  }

  private func found(_ key: Key) throws(ConfigurationError) -> (value: String, source: String) {
    if let value = values[key] { return value }
    guard let value = key.defaultValue else {
      throw ConfigurationError(path, key: key.rawValue, "is missing; set it here or in \(key.variable)")
    }
    return (value, "default")
  }
}
