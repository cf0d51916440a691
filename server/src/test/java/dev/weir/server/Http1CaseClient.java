package dev.weir.server;

import java.io.IOException;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import javax.net.ssl.SSLException;

/** The client of a case over HTTP/1.1. */
final class Http1CaseClient implements CaseClient {
  private static final String HOST = "Host: localhost\r\n";

  /** Less than an answer may have on its way. */
  private static final int RECEIVE_BUFFER_BYTES = 64 << 10;

  /** Those of two bystanders, of one who observes, and of the one that asks. */
  private static final int CONNECTIONS_OF_OTHERS = 4;

  private final NodeFixture fixture;
  private final RawClient raw;
  private boolean chunked;
  private boolean left;
  private String answerText = "";

  Http1CaseClient(NodeFixture fixture) throws IOException {
    this.fixture = fixture;
    this.raw = fixture.raw(RECEIVE_BUFFER_BYTES);
  }

  @Override
  public RawClient raw() {
    return raw;
  }

  @Override
  public void beginAppend(String path, String... headers) throws IOException {
    chunked = !Arrays.asList(headers).contains("content-length");
    String framing = chunked ? "Transfer-Encoding: chunked\r\n" : "";
    head("POST", path, "Content-Type: text/plain\r\n" + framing, headers);
  }

  @Override
  public void ask(String method, String path, String... headers) throws IOException {
    head(method, path, "", headers);
  }

  private void head(String method, String path, String more, String... headers) throws IOException {
    StringBuilder head = new StringBuilder(method + " " + path + " HTTP/1.1\r\n" + HOST + more);
    for (int i = 0; i < headers.length; i += 2) {
      head.append(headers[i]).append(": ").append(headers[i + 1]).append("\r\n");
    }
    raw.send(head + "\r\n");
  }

  @Override
  public void body(byte[] piece, boolean last) throws IOException {
    try {
      if (chunked && piece.length > 0) {
        raw.send(Integer.toHexString(piece.length) + "\r\n").send(piece).send("\r\n");
      } else {
        raw.send(piece);
      }
      if (chunked && last) {
        raw.send("0\r\n\r\n");
      }
    } catch (SocketException | SSLException cutOff) {
      // What came until then is there to be read.
    }
  }

  @Override
  public void awaitBeginning() throws IOException {
    String head = raw.readUntil("\r\n\r\n");
    if (!head.startsWith("HTTP/1.1 200")) {
      throw new IOException("not begun but: " + head);
    }
  }

  @Override
  public void awaitSeen() throws IOException {
    fixture.awaitRead(raw);
  }

  @Override
  public void awaitContinue() throws IOException {
    String head = raw.readUntil("\r\n\r\n");
    if (!head.startsWith("HTTP/1.1 100")) {
      throw new IOException("not asked to go on but: " + head);
    }
  }

  @Override
  public void cancel() throws IOException {
    vanish();
  }

  @Override
  public void vanish() throws IOException {
    left = true;
    raw.reset();
  }

  /** Reads no more of an answer that has begun until the node has ended the connection. */
  Outcome outcomeUnread() throws IOException {
    NodeFixture.await(
        "the end of the connection", () -> fixture.openConnections() == CONNECTIONS_OF_OTHERS);
    raw.skip(Long.MAX_VALUE);
    return Outcome.last(200);
  }

  @Override
  public Outcome outcome() throws IOException {
    if (left) {
      return Outcome.left();
    }
    RawClient.Response answer;
    try {
      answer = raw.receive();
    } catch (IOException ended) {
      return Outcome.closed();
    }
    answerText = answer.body();
    if ("close".equals(answer.header("connection"))) {
      return raw.isEnded() ? Outcome.last(answer.status()) : Outcome.answered(answer.status());
    }
    raw.send("GET / HTTP/1.1\r\n" + HOST + "\r\n");
    RawClient.Response next = raw.receive();
    return next.status() == 200 && next.body().startsWith("weir")
        ? Outcome.answered(answer.status())
        : new Outcome(next.status(), Outcome.Fate.GOES_ON, next.status());
  }

  @Override
  public String answerText() {
    return answerText;
  }

  /** The bytes of a text whose characters are single bytes. */
  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  @Override
  public void close() throws IOException {
    raw.close();
  }
}
