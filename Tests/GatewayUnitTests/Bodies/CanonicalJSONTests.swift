import Testing

@testable import Gateway

@Suite("The value of a JSON text") struct CanonicalJSONTests {
  private func bytes(_ text: String) -> [UInt8]? { CanonicalJSON.bytes(text, depthMax: 8) }

  @Test(arguments: [
    (#"{"a":1,"b":[2,{"c":null,"d":true}]}"#, #" { "b" : [ 2.0, {"d":true, "c":null} ], "a" : 10e-1 } "#),
    ("1", "1.0"), ("100", "1E+2"), ("-0.0", "0"), ("0.10", "1e-1"), ("-12.50", "-1250E-2"), (#""\u00e9""#, #""é""#),
    ("[]", "[ ]"),
  ])
  func `a JSON value is the same in another order and another way of writing`(one: String, other: String) {
    #expect(bytes(one) != nil && bytes(one) == bytes(other))
  }

  @Test(arguments: [
    (#"{"a":1,"b":2}"#, #"{"a":2,"b":1}"#), ("[1,2]", "[2,1]"), ("[12]", "[1,2]"), (#""1""#, "1"), ("1", "-1"),
    ("1e1", "1e2"), (#"{"a":"b"}"#, #"["a","b"]"#), (#"["a,b"]"#, #"["a","b"]"#), ("null", "false"), ("{}", "[]"),
    (#"{"a":{"b":1}}"#, #"{"a":{},"b":1}"#), ("1e99999999999999999999", "1e99999999999999999998"), ("[[]]", "[[],[]]"),
    (#""é""#, #""e\u0301""#),
  ])
  func `another JSON value is another`(one: String, other: String) {
    #expect(bytes(one) != nil && bytes(other) != nil && bytes(one) != bytes(other))
  }

  @Test(arguments: ["", "{", "1 2", "[1,]", "nul"]) func `a text that is no JSON has no value`(text: String) {
    #expect(bytes(text) == nil)
  }

  @Test func `a value of the greatest depth has bytes of its own`() throws {
    let (one, two) = (CanonicalJSON.bytes("[[1]]", depthMax: 2), CanonicalJSON.bytes("[[2]]", depthMax: 2))
    #expect(one != nil && two != nil && one != two)
    #expect(CanonicalJSON.bytes("[[[1]]]", depthMax: 2) == nil)
  }
}
