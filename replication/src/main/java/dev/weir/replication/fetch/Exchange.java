package dev.weir.replication.fetch;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;
import java.io.IOException;

/** A request, and what takes its answer. Called on the connection's event loop. */
interface Exchange {
  /** The target of the GET. */
  String path();

  /** Adds what the request needs. */
  void headers(HttpHeaders headers);

  /**
   * Looks at the head of an answer.
   *
   * @return whether its body goes to {@link #accept}; else its text goes to {@link #ended}
   */
  boolean accepts(int status, HttpHeaders headers);

  /**
   * Takes a part of the body.
   *
   * @throws IOException when it cannot be kept: that ends the fetch
   */
  void accept(ByteBuf part) throws IOException;

  /** Hears of the end, once; nothing comes after it. */
  void ended(Ending ending);

  /** How an exchange ended. */
  sealed interface Ending {
    /** The whole answer has come. */
    record Whole() implements Ending {}

    /** An answer that is not what was asked for. */
    record Other(int status, HttpHeaders headers, String text) implements Ending {}

    /** The connection was lost, or is of no use any more. */
    record Lost(Throwable cause) implements Ending {}

    /** This side cannot go on. */
    record Failed(IOException cause) implements Ending {}
  }
}
