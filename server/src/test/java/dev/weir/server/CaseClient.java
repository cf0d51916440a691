package dev.weir.server;

import java.io.IOException;

/** The client of a case: one connection of either protocol, and one request at a time on it. */
interface CaseClient extends AutoCloseable {
  String STREAM = "/v1/stream/a";
  String BIG_STREAM = "/v1/stream/big";

  /**
   * Begins an append of text; its body follows, in pieces of unknown number unless the headers have
   * a length.
   *
   * @param headers names in lower case, and values
   */
  void beginAppend(String path, String... headers) throws IOException;

  /** Sends a piece of the body, as far as the node takes it. */
  void body(byte[] piece, boolean last) throws IOException;

  /** Sends a request without a body. */
  void ask(String method, String path, String... headers) throws IOException;

  /** Waits until the node has begun to answer with a success, and reads no more of that. */
  void awaitBeginning() throws IOException;

  /** Waits until the node has seen all that was sent. */
  void awaitSeen() throws IOException;

  /** Waits until it is told to go on with a body that it has asked for. */
  void awaitContinue() throws IOException;

  /** Gives the request up as the protocol has it: HTTP/1.1 has nothing but the connection's end. */
  void cancel() throws IOException;

  /** Goes away without a word. */
  void vanish() throws IOException;

  /** Reads the answer, and looks what becomes of the connection. */
  Outcome outcome() throws IOException;

  /** The text of the answer that was read last. */
  String answerText();

  /** A client of HTTP/1.1, for scripts that say bytes. */
  default RawClient raw() {
    throw new IllegalStateException("this client speaks HTTP/2");
  }

  /** A client of HTTP/2, for scripts that say frames. */
  default Http2Client http2() {
    throw new IllegalStateException("this client speaks HTTP/1.1");
  }

  @Override
  void close() throws IOException;
}
