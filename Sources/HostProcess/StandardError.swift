import Glibc
import TextCoding

/// Messages of a program to the person who started it, before and beside its log.
package enum StandardError {
  /// Warns of a setting that works but should be changed.
  package static func warn(_ warnings: [String], program: String) {
    write(warnings.map { "\(program): warning: \($0)\n" }.joined())
  }

  /// Whether standard output goes to the same place: a terminal, or one file.
  package static var isStandardOutput: Bool {
    var (output, error) = (stat(), stat())
    return fstat(1, &output) == 0 && fstat(2, &error) == 0 && output.st_dev == error.st_dev
      && output.st_ino == error.st_ino
  }

  /// Writes all of the text to standard error (or output), at once and in one piece where the system takes it.
  package static func write(_ text: String, to descriptor: Int32 = 2) {
    var text = text
    text.withUTF8 { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let piece = UnsafeBufferPointer(rebasing: rest)
        guard let start = piece.baseAddress else { return }
        let written = Glibc.write(descriptor, start, piece.count)
        guard written > 0 else { return }
        rest = rest.dropFirst(written)
      }
    }
  }
}

extension Exit {
  /// Ends the process with this code, after its lines on standard error.
  package func end(_ program: String) -> Never {
    let lines = description.unicodeScalars.split(separator: "\n").map { "\(program): \(String($0).printable)\n" }
    StandardError.write(lines.joined())
    exit(code.rawValue)
  }
}
