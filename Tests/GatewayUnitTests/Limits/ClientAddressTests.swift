import TestSupport
import Testing

@testable import Gateway

@Suite("The address of a client") struct ClientAddressTests {
  private func client(_ peer: String?, _ forwardedFor: [String], trusting list: String) throws -> String? {
    let proxies = try #require(TrustedProxies(list))
    let from = try peer.map { TrustedProxies.Peer.address(try #require(IPAddress($0))) } ?? .unix
    return proxies.client(of: from, forwardedFor: forwardedFor)?.description
  }

  @Test func `a client's address is the peer's unless the peer is trusted, with any X-Forwarded-For`() throws {
    for list in ["", "10.0.0.0/8", "203.0.113.4/32 203.0.113.6"] {
      for forged in [["127.0.0.1"], ["10.0.0.1"], ["203.0.113.5, 10.0.0.1"], ["x"], [""], []] {
        #expect(try client("203.0.113.5", forged, trusting: list) == "203.0.113.5")
      }
    }
  }

  @Test func `a client's address is the last entry that is not a trusted proxy`() throws {
    let trusted = "10.0.0.0/8, 192.0.2.1 2001:db8:1::/48"
    let cases: [(fields: [String], client: String?)] = [
      ([], "10.1.2.3"), (["203.0.113.5"], "203.0.113.5"), (["127.0.0.1, 203.0.113.5"], "203.0.113.5"),
      (["203.0.113.5, 192.0.2.1"], "203.0.113.5"), (["6.6.6.6, 203.0.113.5 ,10.9.9.9,192.0.2.1"], "203.0.113.5"),
      (["6.6.6.6", "203.0.113.5", "192.0.2.1"], "203.0.113.5"),
      (["6.6.6.6, 203.0.113.5", "2001:db8:1::7"], "203.0.113.5"),
      (["10.0.0.1, 10.0.0.2"], "10.0.0.1"), (["203.0.113.5:4711"], "203.0.113.5"),
      (["[2001:db8::1]:4711"], "2001:db8:0:0:0:0:0:1"), (["[2001:db8::1]"], "2001:db8:0:0:0:0:0:1"),
      (["::ffff:203.0.113.5"], "203.0.113.5"), (["6.6.6.6, unknown"], "10.1.2.3"),
      (["6.6.6.6, unknown, 10.0.0.9"], "10.0.0.9"),
      (["6.6.6.6,"], "10.1.2.3"), (["6.6.6.6, , 10.0.0.9"], "10.0.0.9"), (["6.6.6.6 10.0.0.9"], "10.1.2.3"),
      (["203.0.113.5 "], "203.0.113.5"), (["\t203.0.113.5"], "203.0.113.5"), (["[::1"], "10.1.2.3"),
      (["[::1]x"], "10.1.2.3"), (["203.0.113.5:x"], "10.1.2.3"), (["203.0.113.005"], "10.1.2.3"),
      (["0x7f.1"], "10.1.2.3"),
    ]
    for (fields, expected) in cases {
      #expect(try client("10.1.2.3", fields, trusting: trusted) == expected, "\(fields)")
    }
  }

  @Test func `a client's address on a unix socket is the proxy's entry, or missing`() throws {
    #expect(try client(nil, [], trusting: "") == nil)
    #expect(try client(nil, ["nonsense"], trusting: "") == nil)
    #expect(try client(nil, ["6.6.6.6, 203.0.113.5"], trusting: "") == "203.0.113.5")
    #expect(try client(nil, ["203.0.113.5, 10.0.0.1"], trusting: "10.0.0.0/8") == "203.0.113.5")
  }

  @Test func `a client's IPv4 address is the same in either form, also when trusted`() throws {
    #expect(try client("::ffff:10.0.0.1", ["203.0.113.5"], trusting: "10.0.0.1") == "203.0.113.5")
    #expect(try client("10.0.0.1", ["203.0.113.5"], trusting: "::ffff:10.0.0.0/104") == "203.0.113.5")
    #expect(try client("::a00:1", ["203.0.113.5"], trusting: "10.0.0.1") == "0:0:0:0:0:0:a00:1")
  }

  @Test func `a client's address is read from a limited number of entries`() throws {
    let fields = [Array(repeating: "10.0.0.1", count: 2000).joined(separator: ",")]
    #expect(try client("10.0.0.2", ["6.6.6.6"] + fields, trusting: "10.0.0.0/8") == "10.0.0.1")
  }

  @Test func `limits count single IPv4 addresses, and /64 networks of IPv6`() throws {
    let key: (String) -> String? = { IPAddress($0)?.limitKey }
    #expect(key("203.0.113.5") == "203.0.113.5")
    #expect(key("::ffff:203.0.113.5") == "203.0.113.5")
    #expect(key("2001:db8:1:2:3:4:5:6") == "2001:db8:1:2:0:0:0:0/64")
    #expect(key("2001:db8:1:2:ffff::") == key("2001:db8:1:2::1"))
    #expect(key("2001:db8:1:3::1") != key("2001:db8:1:2::1"))
  }

  @Test func `a site is a single IPv4 address, or a /48 network of IPv6`() {
    let key: (String) -> String? = { IPAddress($0)?.siteKey }
    #expect(key("203.0.113.5") == "203.0.113.5")
    #expect(key("2001:db8:1:2:3:4:5:6") == "2001:db8:1:0:0:0:0:0/48")
    #expect(key("2001:db8:1:ffff::") == key("2001:db8:1::1") && key("2001:db8:2::") != key("2001:db8:1::"))
  }

  @Test func `a client's address is read only in its usual form`() {
    for bad in [
      "", " ", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.4 ", "127.1", "0177.0.0.1", ":::", "1::2::3", "12345::", "::g",
      "localhost", "1.2.3.4\0", String(repeating: "1", count: 1000), "%eth0",
    ] {
      #expect(IPAddress(bad) == nil, "\(bad.prefix(20))")
    }
    #expect(IPAddress("fe80::1%eth0") == IPAddress("fe80::1"))
  }

  @Test func `any client address survives writing and reading`() {
    var generator = SeededGenerator()
    for _ in 0..<1000 {
      let address = IPAddress(bits: UInt128.random(in: .min ... .max, using: &generator))
      #expect(IPAddress(address.description) == address, "\(generator)")
      let four = IPAddress(bits: 0xFFFF << 32 | UInt128(UInt32.random(in: .min ... .max, using: &generator)))
      #expect(four.isIPv4 && IPAddress(four.description) == four, "\(generator)")
    }
  }
}

@Suite("A list of trusted proxies") struct TrustedProxyListTests {
  @Test func `a list of trusted proxies shows networks by their first address`() throws {
    let cases: [(network: String, inside: [String], outside: [String])] = [
      ("10.0.0.0/8", ["10.0.0.0", "10.255.255.255", "::ffff:10.1.1.1"], ["9.255.255.255", "11.0.0.0", "::a00:0"]),
      ("10.1.2.3", ["10.1.2.3"], ["10.1.2.2", "10.1.2.4"]), ("0.0.0.0/0", ["0.0.0.0", "255.255.255.255"], ["::1"]),
      ("2001:db8::/33", ["2001:db8:7fff::"], ["2001:db8:8000::", "10.0.0.1"]),
      ("::/0", ["::", "10.0.0.1", "ffff::"], []),
      ("::1/128", ["::1"], ["::", "::2"]),
    ]
    for (text, inside, outside) in cases {
      let network = try #require(IPNetwork(text))
      for address in inside { #expect(network.contains(try #require(IPAddress(address))), "\(address) in \(text)") }
      for address in outside { #expect(!network.contains(try #require(IPAddress(address))), "\(address) in \(text)") }
    }
  }

  @Test func `a list of trusted proxies is refused with its first bad word`() {
    for bad in [
      "10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "::/129", "proxy", "/8",
    ] {
      #expect(TrustedProxies("127.0.0.1, \(bad)") == nil, "\(bad)")
      #expect(TrustedProxies.firstBad("127.0.0.1, \(bad)") == bad)
    }
    #expect(TrustedProxies("") != nil)
    #expect(TrustedProxies.firstBad("127.0.0.1 ::1") == nil)
  }
}
