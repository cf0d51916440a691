package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.HttpLimits;
import dev.weir.server.http.Transport;
import dev.weir.server.tls.TlsCredentials;
import dev.weir.server.tls.TlsEngine;
import dev.weir.streams.Disk;
import dev.weir.streams.LocalDisk;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetric;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A node in this JVM, and the simplest way to talk to it. */
final class NodeFixture implements AutoCloseable {
  static final long BUDGET_BYTES = 32 << 20;

  final Node node;
  final HttpClient http;
  private final @Nullable TestCertificate certificate;

  /** What a test waits for. */
  interface Condition {
    boolean holds() throws IOException;
  }

  NodeFixture(Path data) throws IOException {
    this(data, BUDGET_BYTES, NodeParts.forBudget(BUDGET_BYTES));
  }

  /** With limits of a test's own. */
  NodeFixture(Path data, HttpLimits limits) throws IOException {
    this(data, BUDGET_BYTES, new NodeParts(new LocalDisk(), Transport.best(), limits));
  }

  /** On a disk of a test's own. */
  NodeFixture(Path data, Disk disk) throws IOException {
    this(
        data,
        BUDGET_BYTES,
        new NodeParts(disk, Transport.best(), HttpLimits.forBudget(BUDGET_BYTES)));
  }

  NodeFixture(Path data, long budgetBytes, NodeParts parts) throws IOException {
    this(data, budgetBytes, parts, /* certificate= */ null);
  }

  /** With the certificate that the node has; null in the clear. */
  NodeFixture(Path data, long budgetBytes, NodeParts parts, @Nullable TestCertificate certificate)
      throws IOException {
    this.certificate = certificate;
    HttpClient.Builder client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
    http = (certificate == null ? client : client.sslContext(certificate.trusting())).build();
    node =
        Node.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), data, budgetBytes, parts);
  }

  /** In the clear, or with TLS by {@code engine}. */
  static NodeFixture start(
      Path data, NodeParts parts, TestCertificate certificate, @Nullable TlsEngine engine)
      throws Exception {
    return start(data, BUDGET_BYTES, parts, certificate, engine);
  }

  /** The same with a budget of a test's own. */
  static NodeFixture start(
      Path data,
      long budgetBytes,
      NodeParts parts,
      TestCertificate certificate,
      @Nullable TlsEngine engine)
      throws Exception {
    if (engine == null) {
      return new NodeFixture(data, budgetBytes, parts);
    }
    TlsCredentials credentials = TlsCredentials.read(certificate.certificate(), certificate.key());
    NodeParts secured = parts.secured(new Node.TlsSettings(credentials, engine));
    return new NodeFixture(data, budgetBytes, secured, certificate);
  }

  /** A client that has shaken hands, where the node has TLS. */
  RawClient raw() throws IOException {
    return raw(/* receiveBufferBytes= */ 0);
  }

  RawClient raw(int receiveBufferBytes) throws IOException {
    RawClient client = new RawClient(node.address(), receiveBufferBytes);
    return certificate == null ? client : client.secure(certificate.trusting());
  }

  /** One connection of HTTP/2. */
  Http2Client http2() throws IOException {
    return new Http2Client(node.address(), certificate == null ? null : certificate.trusting());
  }

  /** One whose streams are sent no more than {@code windowBytes}, until it says so. */
  Http2Client http2(int windowBytes, int receiveBufferBytes) throws IOException {
    return new Http2Client(
        node.address(),
        certificate == null ? null : certificate.trusting(),
        windowBytes,
        receiveBufferBytes);
  }

  URI uri(String target) {
    String scheme = certificate == null ? "http" : "https";
    return URI.create(scheme + "://127.0.0.1:" + node.address().getPort() + target);
  }

  HttpResponse<String> send(String method, String stream, String contentType, String body)
      throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(uri("/v1/stream/" + stream));
    request.method(method, HttpRequest.BodyPublishers.ofString(body));
    if (contentType != null) {
      request.header("Content-Type", contentType);
    }
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  String get(String stream) throws Exception {
    HttpResponse<String> response =
        http.send(
            HttpRequest.newBuilder(uri("/v1/stream/" + stream)).build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).isEqualTo(200);
    return response.body();
  }

  /** Connections that are open, this question's own included; no number as for {@link #metric}. */
  double openConnections() {
    return metric("weir_http_open_connections");
  }

  /**
   * One of the node's figures, asked for over HTTP/1 on a connection of its own. While the node
   * does not say, it is no number, which is neither more nor less than any, nor the same.
   */
  double metric(String name) {
    try (RawClient client = raw()) {
      return client.metric(name);
    } catch (IOException turnedAway) {
      return Double.NaN;
    }
  }

  /** Waits until the node has accepted a client, and has read all that it has sent so far. */
  void awaitRead(RawClient client) throws IOException {
    await(
        "all is read that was sent",
        () -> KernelSockets.isAllRead(node.address().getPort(), client.localPort()));
  }

  /**
   * What the allocator holds that Netty takes when nobody says which: nothing of a connection's. A
   * node that starts has Netty read certificates with it.
   */
  static long bytesOfNetty() {
    ByteBufAllocatorMetric metric =
        ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT).metric();
    return metric.usedDirectMemory() + metric.usedHeapMemory();
  }

  /** Waits for the event loops to have given back every buffer; fails when they do not. */
  void assertNothingLeaked() throws IOException {
    await(
        "no live bytes in the pool, and no context in use",
        () -> {
          node.destroyIdleContexts();
          return node.liveBufferBytes() == 0 && node.contextBytes() == 0;
        });
  }

  /** Ends the node when all its clients have gone; nothing may be left of them. */
  void endWithNothingLeft() throws IOException {
    http.close();
    await("no other connection", () -> openConnections() <= 1);
    assertNothingLeaked();
    close();
  }

  /** Waits for what other threads will have done soon; fails when they do not. */
  static void await(String what, Condition condition) throws IOException {
    long deadline = System.nanoTime() + RawClient.PATIENCE.toNanos();
    boolean holds = condition.holds();
    while (!holds && System.nanoTime() < deadline) {
      LockSupport.parkNanos(1_000_000);
      holds = condition.holds();
    }
    assertThat(holds).as(what).isTrue();
  }

  @Override
  public void close() throws IOException {
    http.close();
    node.close();
  }
}
