import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A server of the loopback that keeps what each client sends first, answers with fixed bytes, and closes.
final class RawServer: Sendable {
  private let kept = Kept()
  private let listener: any Channel
  let port: Int

  /// - Parameters:
  ///   - hasTLS: speaks TLS with a certificate that it has signed itself.
  ///   - before: ends when the answer is to be sent.
  init(
    hasTLS: Bool = false, answer: String, before: @escaping @Sendable () async -> Void = {}
  ) async throws {
    let context = hasTLS ? try Self.selfSigned() : nil
    let kept = kept
    listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if let context { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context)) }
          try channel.pipeline.syncOperations.addHandler(Answering(answer: answer, kept: kept, before: before))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    port = listener.localAddress?.port ?? 0
  }

  private final class Kept: Sendable {
    let requests = Mutex<[String]>([])
  }

  /// The first bytes of each client.
  var requests: [String] { kept.requests.withLock { $0 } }

  deinit { listener.close(promise: nil) }

  private final class Answering: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let answer: String
    private let kept: Kept
    private let before: @Sendable () async -> Void
    private var hasRead = false

    init(answer: String, kept: Kept, before: @escaping @Sendable () async -> Void) {
      self.answer = answer
      self.kept = kept
      self.before = before
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard !hasRead else { return }
      hasRead = true
      let request = String(buffer: unwrapInboundIn(data))
      kept.requests.withLock { $0.append(request) }
      Task { [answer, before, channel = context.channel] in
        await before()
        try? await channel.writeAndFlush(ByteBuffer(string: answer))
        try? await channel.close()
      }
    }
  }

  private static func selfSigned() throws -> NIOSSLContext {
    let key = try NIOSSLPrivateKey(bytes: Array(keyText.utf8), format: .pem)
    let certificates = try NIOSSLCertificate.fromPEMBytes(Array(certificateText.utf8))
    return try NIOSSLContext(
      configuration: .makeServerConfiguration(
        certificateChain: certificates.map { .certificate($0) }, privateKey: .privateKey(key)))
  }

  /// Of no use elsewhere: nobody trusts it.
  private static let keyText = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg3htAVDPp+YR1F84s
    y/tW94pCespjC5H/DfcuxertNNOhRANCAAR5/5Vg/BnO9cocWbdsGyJMfx+f21FA
    rcu6AIoCyCN+t+uXvr+GgryeVN7n0Wbs5tF6vNQcNCjBzdKE5wcQgYrC
    -----END PRIVATE KEY-----
    """

  private static let certificateText = """
    -----BEGIN CERTIFICATE-----
    MIIBkTCCATagAwIBAgIUN3ny4jzzFGue5QImb76FcwZ9FVwwCgYIKoZIzj0EAwIw
    FDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTI2MTEyMjIwNTcxMloYDzIxMjYxMDI5
    MjA1NzEyWjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO
    PQMBBwNCAAR5/5Vg/BnO9cocWbdsGyJMfx+f21FArcu6AIoCyCN+t+uXvr+Ggrye
    VN7n0Wbs5tF6vNQcNCjBzdKE5wcQgYrCo2QwYjAdBgNVHQ4EFgQUEFRJ8VWVIVun
    lqWCpDKWG3YULeswHwYDVR0jBBgwFoAUEFRJ8VWVIVunlqWCpDKWG3YULeswDwYD
    VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0kAMEYC
    IQC5zhIY4YtDEoDlS3Bzmyccn5O94DkFY9QG6ZCFqee9UgIhAK6Zr03SzIBnppJh
    ApuknoP8sNqndz/7PMPyAZ/Wg9PN
    -----END CERTIFICATE-----
    """
}
