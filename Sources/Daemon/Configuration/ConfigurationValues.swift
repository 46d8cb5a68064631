/// The value of each key and where it came from, for errors that say so.
struct ConfigurationValues {
  private var values: [ConfigurationKey: (value: String, source: String)] = [:]
  private let path: String

  init(file: ConfigurationFile, environment: [String: String]) throws(ConfigurationError) {
    path = file.path
    for line in file.lines {
      guard let key = ConfigurationKey(rawValue: line.key) else {
        throw ConfigurationError("\(file.path):\(line.number)", key: line.key, "is not a key of this file")
      }
      if let earlier = values[key] {
        throw ConfigurationError("\(file.path):\(line.number)", key: line.key, "was given before, at \(earlier.source)")
      }
      values[key] = (line.value, "\(file.path):\(line.number)")
    }
    for key in ConfigurationKey.allCases {
      if let value = environment[key.variable] { values[key] = (value, "environment \(key.variable)") }
    }
  }

  /// Whether nobody set the key.
  func isDefault(_ key: ConfigurationKey) -> Bool { values[key] == nil }

  /// The value of a key; `problem` says what is wrong with it, or nil.
  func text(_ key: ConfigurationKey, problem: (String) -> String?) throws(ConfigurationError) -> String {
    let (value, source) = try found(key)
    if let problem = problem(value) { throw ConfigurationError(source, key: key.rawValue, problem) }
    return value
  }

  func choice<Value>(_ key: ConfigurationKey, _ choices: [String: Value]) throws(ConfigurationError) -> Value {
    let (value, source) = try found(key)
    guard let chosen = choices[value] else {
      let names = choices.keys.sorted().joined(separator: ", ")
      throw ConfigurationError(source, key: key.rawValue, "must be one of \(names)")
    }
    return chosen
  }

  private func found(_ key: ConfigurationKey) throws(ConfigurationError) -> (value: String, source: String) {
    if let value = values[key] { return value }
    guard let value = key.defaultValue else {
      throw ConfigurationError(path, key: key.rawValue, "is missing (or set \(key.variable))")
    }
    return (value, "default")
  }
}
