package dev.weir.server;

import io.netty.handler.codec.http2.Http2Error;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import javax.net.ssl.SSLException;

/** The client of a case over HTTP/2. */
final class Http2CaseClient implements CaseClient {
  private static final int MAX_PIECE_BYTES = 16 << 10;

  private static final String FAILED_BY_PEER =
      "weir_http_failed_connections_total{reason=\"peer\"}";

  private final NodeFixture fixture;
  private final Http2Client client;
  private final double failuresBefore;

  /** The stream of the request; 0 before there is one. */
  private int stream;

  Http2CaseClient(NodeFixture fixture) throws IOException {
    this.fixture = fixture;
    this.failuresBefore = fixture.metric(FAILED_BY_PEER);
    this.client = fixture.http2();
  }

  @Override
  public Http2Client http2() {
    return client;
  }

  /** What is told of is another stream, which a script has made. */
  Http2CaseClient of(int other) {
    stream = other;
    return this;
  }

  @Override
  public void beginAppend(String path, String... headers) throws IOException {
    String[] all = new String[headers.length + 2];
    all[0] = "content-type";
    all[1] = "text/plain";
    System.arraycopy(headers, 0, all, 2, headers.length);
    stream = client.request(/* last= */ false, "POST", path, all);
  }

  @Override
  public void ask(String method, String path, String... headers) throws IOException {
    stream = client.request(/* last= */ true, method, path, headers);
  }

  @Override
  public void body(byte[] piece, boolean last) throws IOException {
    try {
      int from = 0;
      do {
        int length = Math.min(MAX_PIECE_BYTES, piece.length - from);
        client.awaitWindow(stream, length);
        if (client.response(stream).isOver()) {
          return;
        }
        byte[] part = java.util.Arrays.copyOfRange(piece, from, from + length);
        from += length;
        client.data(stream, part, last && from == piece.length);
      } while (from < piece.length);
    } catch (EOFException | SocketException | SSLException cutOff) {
      // What came until then is there to be read.
    }
  }

  @Override
  public void awaitBeginning() throws IOException {
    while (client.response(stream).head == null) {
      client.receive();
    }
    if (client.response(stream).status() != 200) {
      throw new IOException("not begun but: " + client.response(stream).head);
    }
  }

  @Override
  public void awaitSeen() throws IOException {
    client.roundTrip();
  }

  @Override
  public void awaitContinue() throws IOException {
    client.roundTrip();
  }

  @Override
  public void cancel() throws IOException {
    client.reset(stream, (int) Http2Error.CANCEL.code());
    stream = 0;
  }

  @Override
  public void vanish() throws IOException {
    client.resetConnection();
  }

  /**
   * Reads to the end that the node has made of a connection for what its client does, and counted.
   * The client may not hear why: where it still sends, the end is a reset, which takes the GOAWAY
   * from it.
   */
  Outcome outcomeOfFlood() throws IOException {
    client.awaitEnd();
    NodeFixture.await(
        "a reason counted", () -> fixture.metric(FAILED_BY_PEER) == failuresBefore + 1);
    Outcome outcome = outcome();
    return outcome.equals(Outcome.closed()) ? Outcome.ended(Http2Error.ENHANCE_YOUR_CALM) : outcome;
  }

  @Override
  public Outcome outcome() throws IOException {
    boolean open = true;
    try {
      if (stream > 0) {
        client.await(stream);
      }
      open = client.goAways == 0 && client.get("/").status() == 200;
      if (!open) {
        client.awaitEnd();
      }
    } catch (EOFException | SocketException | SSLException end) {
      open = false;
    }
    Http2Client.Response answer = client.response(stream);
    return open
        ? new Outcome(answer.status(), Outcome.Fate.GOES_ON, errorOf(answer))
        : new Outcome(answer.status(), Outcome.Fate.ENDS, client.errorOfGoAway);
  }

  /** A stream that is reset for nothing once it is answered has ended well. */
  private static int errorOf(Http2Client.Response answer) {
    return answer.ended && answer.error == Http2Error.NO_ERROR.code() ? Outcome.NONE : answer.error;
  }

  @Override
  public String answerText() {
    return client.response(stream).text();
  }

  @Override
  public void close() throws IOException {
    client.close();
  }
}
