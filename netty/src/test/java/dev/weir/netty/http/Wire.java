package dev.weir.netty.http;

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
    FaultyServer.Parts parts =
        FaultyServer.Parts.of(AggregatorOptions.upTo(1 << 20), engine.server(certificate))
            .over(transport);
    return new FaultyServer(http2 ? parts.overHttp2() : parts);
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
