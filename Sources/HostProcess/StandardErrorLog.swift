import TextCoding
package import Logging

/// Log lines on standard error, or in a file: level, message, `key=value` pairs in the order of their keys.
///
/// No time stamps: the journal has its own, and the demo's output stays reproducible.
package struct StandardErrorLog: LogHandler {
  package var logLevel: Logger.Level
  package var metadata: Logger.Metadata = [:]
  package var metadataProvider: Logger.MetadataProvider?

  private let descriptor: Int32

  package init(level: Logger.Level, to descriptor: Int32 = 2) {
    logLevel = level
    self.descriptor = descriptor
  }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(event: LogEvent) {
    let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
    StandardError.write("\(event.level): \(Self.line("\(event.message)", all))\n", to: descriptor)
  }

  /// The message and its pairs, as both logs show them: one line, in which nothing steers a terminal.
  static func line(_ message: String, _ metadata: Logger.Metadata) -> String {
    message.printable
      + metadata.sorted { $0.key < $1.key }.map { " \($0.key.printable)=\(quoted("\($0.value)"))" }.joined()
  }

  /// Scalar by scalar: a quotation mark before a combining mark is another character, but still ends the quotation.
  private static func quoted(_ text: String) -> String {
    let isPlain = text.unicodeScalars.allSatisfy { scalar in
      !scalar.properties.isWhitespace && !scalar.isUnprintable && scalar != "\"" && scalar != "="
    }
    if isPlain && !text.isEmpty { return text }
    var out = ""
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { out += "\\" }
      out.unicodeScalars.append(scalar)
    }
    return "\"" + out.printable + "\""
  }
}
