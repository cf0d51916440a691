package dev.weir.server.http;

import dev.weir.server.metrics.Conditions;
import dev.weir.server.metrics.Failure;
import dev.weir.streams.protocol.ProtocolException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.FileRegion;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.net.SocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One request and its response, as a handler sees them. All methods are for the connection's event
 * loop; {@link #onLoop} gets there from elsewhere.
 */
interface Exchange extends BodySource {
  HttpRequest request();

  /** Where the client is. */
  SocketAddress peer();

  /** The scheme of this node's URLs. */
  String scheme();

  /** What is logged of the node. */
  Conditions conditions();

  /**
   * For small parts of the response, which the pool keeps a reserve for; see {@link #allocate} for
   * others.
   */
  ByteBufAllocator allocator();

  /** For what is kept of the request's body. */
  ByteBufAllocator uploads();

  /**
   * Gets a direct buffer for a piece of the response: at once, or when the pool has room for it
   * again. If it has none in time, or the exchange ends before, {@code use} is never called.
   *
   * @param use takes the buffer over; may be called before this method returns
   */
  void allocate(int bytes, Consumer<ByteBuf> use);

  /** The value of {@code Content-Length}; −1 for a chunked body, 0 without a body. */
  @Override
  long contentLength();

  /** Sends {@code 100 Continue} if the client waits for it, and asks for the body's next piece. */
  @Override
  void readBody();

  /**
   * Runs {@code action} on the event loop, also when the exchange is over by then: a response that
   * comes too late is dropped, and its buffers with it. If it throws, the exchange is given up.
   *
   * @throws RejectedExecutionException if the loop has ended, and its connections with it
   */
  void onLoop(Runnable action);

  /** As {@link #onLoop}, for a thread that has more to do than this exchange: it throws nothing. */
  default void tellLoop(Runnable action) {
    try {
      onLoop(action);
    } catch (RejectedExecutionException loopHasEnded) {
      // Nobody waits any more.
    }
  }

  /** Answers on the event loop when the store has done what it was asked, or has failed. */
  default <T> void whenDone(CompletableFuture<T> done, Consumer<T> answer) {
    done.whenComplete((outcome, error) ->
        tellLoop(() -> {
          if (error != null) {
            Refusals.refuse(this, error);
          } else {
            answer.accept(outcome);
          }
        }));
  }

  /** Runs {@code action} on the event loop after a while, unless the exchange is over by then. */
  Future<?> schedule(Runnable action, long delay, TimeUnit unit);

  /** Sends a whole response with an empty body. */
  void respond(HttpResponseStatus status, HttpHeaders headers);

  /** Sends a whole response; takes {@code body} over. */
  void respond(HttpResponseStatus status, HttpHeaders headers, ByteBuf body);

  /** Sends a refusal with one line of plain text. */
  void refuse(int status, String reason, HttpHeaders headers);

  default void refuse(ProtocolException reason, HttpHeaders headers) {
    refuse(reason.status(), reason.reason(), headers);
  }

  /** Sends a response's head; the body follows through {@link #write} and {@link #end}. */
  void begin(HttpResponseStatus status, HttpHeaders headers);

  /**
   * Adds a piece of a stream to the body, and takes it over; it leaves with the next {@link
   * #flush}.
   */
  void write(ByteBuf piece);

  /** As {@link #write}, of what belongs to no stream and is not counted as served. */
  void push(ByteBuf piece);

  /** Whether parts of files can be sent as they are. */
  boolean sendsFiles();

  /**
   * Sends a part of a file as the next piece of a stream, and takes it over.
   *
   * @param next runs when it is sent; not at all when it cannot be
   */
  void sendFile(FileRegion region, Runnable next);

  /** Sends what was written. */
  void flush();

  /** Whether more should be written now; if not, {@link ExchangeHandler#writable} tells when. */
  boolean isWritable();

  void end();

  /** Closes the connection after this response. */
  void closeAfterwards();

  /**
   * Gives the exchange up: the client is told, if it has got nothing of a response yet, and the
   * connection is closed. Everything that the exchange holds is let go of at once.
   */
  void abort(Failure failure, Throwable cause);

  default void abort(Throwable cause) {
    abort(Failure.of(cause), cause);
  }

  /** Notices a client that goes away while nothing is being sent. */
  void watchForClose();
}
