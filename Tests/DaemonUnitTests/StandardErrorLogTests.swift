import Logging
import Testing

@testable import HostProcess

struct StandardErrorLogTests {
  @Test(
    arguments: [
      ("a\r\nerror: forged", #""a\r\nerror: forged""#), ("\u{1b}[2Jx", #""\u001b[2Jx""#),
      ("a\u{9b}31m", #""a\u009b31m""#), ("\u{202e}b", #""\u202eb""#), ("a\u{2028}b", #""a\u2028b""#),
      ("\"\u{301} job=x", "\"\\\"\u{301} job=x\""), (#"a \n"#, #""a \\n""#), ("", #""""#), ("plain", "plain"),
    ])
  func `a logged value stays in its pair and its line`(_ value: String, _ shown: String) {
    #expect(StandardErrorLog.line("said", ["what": "\(value)"]) == "said what=\(shown)")
  }

  @Test func `a logged message is one line`() {
    #expect(StandardErrorLog.line("a\r\nb\u{85}c\u{200f}", [:]) == #"a\r\nb\u0085c\u200f"#)
  }
}
