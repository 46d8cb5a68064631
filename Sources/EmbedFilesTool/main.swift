// Usage: EmbedFilesTool OUTPUT ROOT FILE...
// Writes `let embeddedFiles: [(path: String, text: String)]` with paths relative to ROOT, in the order given.
import Foundation

let arguments = CommandLine.arguments
precondition(arguments.count >= 3, "usage: EmbedFilesTool OUTPUT ROOT FILE...")
let root = arguments[2].hasSuffix("/") ? arguments[2] : arguments[2] + "/"

/// A raw literal needs more `#` than any run of them that follows a quotation mark in the text.
func literal(_ text: String) -> String {
  var fence = "#"
  while text.contains("\"\"\"" + fence) || text.contains("\\" + fence) { fence += "#" }
  return "\(fence)\"\"\"\n\(text)\n\"\"\"\(fence)"
}

var source = "let embeddedFiles: [(path: String, text: String)] = [\n"
for path in arguments.dropFirst(3) {
  let text = try String(contentsOfFile: path, encoding: .utf8)
  source += "(\(literal(String(path.dropFirst(root.count)))), \(literal(text))),\n"
}
source += "]\n"
try source.write(toFile: arguments[1], atomically: true, encoding: .utf8)
