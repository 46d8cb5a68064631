// Writes the texts that are generated from the descriptions of commands. With `--check` it writes nothing, names each
// text that is out of date, and exits 1 where there is one.
import ControlAPI
import Foundation

let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()

var isStale = false
for text in GeneratedText.all {
  let file = root.appendingPathComponent(text.path)
  let old = try String(contentsOf: file, encoding: .utf8)
  let new = text.renewed(old)
  guard new != old else { continue }
  isStale = true
  print(text.path)
  if !CommandLine.arguments.contains("--check") { try new.write(to: file, atomically: true, encoding: .utf8) }
}
exit(isStale && CommandLine.arguments.contains("--check") ? 1 : 0)
