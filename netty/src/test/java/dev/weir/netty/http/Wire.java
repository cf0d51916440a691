package dev.weir.netty.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.TestCertificate;
import dev.weir.netty.TransportUnderTest;
import java.io.IOException;
import java.net.Socket;
import java.util.Arrays;
import java.util.stream.Stream;

/** How a server and its clients talk. */
record Wire(TransportUnderTest transport, Engine engine, boolean http2) {
  /** HTTP/1.1 in the clear, on each transport of the machine; else NIO. */
  static Stream<Wire> all() {
    return Stream.concat(
        TransportUnderTest.available().map(transport -> new Wire(transport, Engine.NONE, false)),
        Stream.concat(
            Arrays.stream(Engine.values())
                .filter(engine -> engine != Engine.NONE)
                .map(engine -> new Wire(TransportUnderTest.NIO, engine, false)),
            ofStreams()));
  }

  /** HTTP/2, in the clear and over TLS of each engine. */
  static Stream<Wire> ofStreams() {
    return Arrays.stream(Engine.values())
        .map(engine -> new Wire(TransportUnderTest.NIO, engine, true));
  }

  FaultyServer server(TestCertificate certificate) throws Exception {
    return new FaultyServer(parts(certificate, AggregatorOptions.upTo(1 << 20)));
  }

  /** What a server that talks so is made of. */
  FaultyServer.Parts parts(TestCertificate certificate, AggregatorOptions options)
      throws Exception {
    FaultyServer.Parts parts =
        FaultyServer.Parts.of(options, engine.server(certificate)).over(transport);
    return http2 ? parts.overHttp2() : parts;
  }

  /** Whole exchanges work: whatever was done to another connection has harmed nobody. */
  void assertServes(FaultyServer server, TestCertificate certificate) throws Exception {
    byte[] request =
        http2
            ? Http2Bytes.join(
                Http2Bytes.opening(), Http2Bytes.head(5), Http2Bytes.data("hello", /* end= */ true))
            : FaultyServer.request("Content-Length: 5", "hello");
    try (Client client = connect(server, certificate)) {
      client.send(request);
      StringBuilder answer = new StringBuilder();
      while (answer.indexOf("hello") < 0) {
        int next = client.socket().getInputStream().read();
        assertThat(next).as("ended after: %s", answer).isNotNegative();
        answer.append((char) next);
      }
    }
  }

  /** A client of a server; over TLS hands have been shaken. */
  Client connect(FaultyServer server, TestCertificate certificate) throws Exception {
    Socket plain = server.connect();
    return new Client(plain, engine == Engine.NONE ? plain : certificate.secure(plain));
  }

  /**
   * A connection.
   *
   * @param plain of the system
   * @param socket over TLS, or the same
   */
  record Client(Socket plain, Socket socket) implements AutoCloseable {
    void send(byte[] bytes) throws IOException {
      socket.getOutputStream().write(bytes);
    }

    /** Ends with a RST. */
    void reset() throws IOException {
      plain.setSoLinger(true, 0);
      plain.close();
    }

    @Override
    public void close() throws IOException {
      plain.close();
    }
  }

  @Override
  public String toString() {
    return transport + " " + engine + (http2 ? " HTTP/2" : "");
  }
}
