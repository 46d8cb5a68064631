import Testing

@testable import Gateway

@Suite("A list in an answer") struct JSONListTests {
  @Test func `a JSON list has a count and the last element's id, for any texts in it`() throws {
    let texts = [#""], [{\"id\": 9}""#, #""\\""#, #""a, b""#, "[1, [2, 3]]", #"{"id": "no", "x": []}"#, "null"]
    for count in 0...texts.count {
      let elements = texts.prefix(count).enumerated().map { place, text in
        #"{"x": \#(text), "id": \#(place + 1), "talk": {"uuid": "u\#(place + 1)"}}"#
      }
      let list = "[" + elements.joined(separator: ", ") + "]"
      let plain = try #require(JSONList(list, member: nil, id: "id"))
      #expect(plain.count == count && plain.lastID == (count > 0 ? "\(count)" : nil), "\(list)")
      let object = #"{"rows": "talks", "first": [{"id": 7}, {"id": 8}], "talks": \#(list), "end": [1]}"#
      let inner = try #require(JSONList(object, member: "talks", id: "talk.uuid"))
      #expect(inner.count == count && inner.lastID == (count > 0 ? "u\(count)" : nil), "\(object)")
    }
  }

  @Test(arguments: ["{}", "null", "7", #""[1]""#, #"{"a": [1]}"#, "[1", ""])
  func `a JSON list is not found in an answer without one`(answer: String) {
    #expect(JSONList(answer, member: nil, id: "id")?.count == nil)
    #expect(JSONList(answer, member: "b", id: "id")?.count == nil)
  }
}
