package dev.weir.replication.client;

import dev.weir.replication.send.BodySource;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A request, and what takes its answer. Called on the connection's event loop. */
public interface Exchange {
  /** A body that is sent from files. */
  record Body(BodySource source, long bytes) {}

  /** GET, unless it says more. */
  default HttpMethod method() {
    return HttpMethod.GET;
  }

  /** The target of the request. */
  String path();

  /** Adds what the request needs. */
  void headers(HttpHeaders headers);

  /**
   * Opens what is sent; null for nothing.
   *
   * @throws IOException when it cannot be read: that ends the exchange
   */
  default @Nullable Body body() throws IOException {
    return null;
  }

  /** Hears of bytes of the body that the system has taken. */
  default void sent(long bytes) {}

  /**
   * Looks at the head of an answer.
   *
   * @return whether its body goes to {@link #accept}; else its text goes to {@link #ended}
   */
  boolean accepts(int status, HttpHeaders headers);

  /**
   * Takes a part of the body.
   *
   * @throws IOException when it cannot be kept: that ends the exchange
   */
  void accept(ByteBuf part) throws IOException;

  /** Hears of the end, once; nothing comes after it. */
  void ended(Ending ending);

  /** How an exchange ended. */
  sealed interface Ending {
    /** The whole answer has come. */
    record Whole() implements Ending {}

    /** An answer that is not taken in parts: a short one, or not what was asked for. */
    record Other(int status, HttpHeaders headers, String text) implements Ending {}

    /** The connection was lost, or is of no use any more. */
    record Lost(Throwable cause) implements Ending {}

    /** This side cannot go on. */
    record Failed(IOException cause) implements Ending {}
  }
}
