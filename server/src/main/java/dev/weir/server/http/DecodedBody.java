package dev.weir.server.http;

import dev.weir.compression.http.DecodedContent;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.function.Consumer;

/**
 * A body that its client has encoded: takes it in the pieces in which it comes, and hands on what
 * these stand for, a bounded piece for each that is asked for. The next one is asked of the client
 * when all of the last has been handed on. For the connection's event loop.
 */
final class DecodedBody implements BodySource {
  /**
   * So much is handed on at a time before the event loop serves others: a small piece may stand for
   * gigabytes, and nothing of them need go to the disk, where white space is dropped.
   */
  static final int TURN_BYTES = 256 << 10;

  private final Exchange exchange;
  private final DecodedContent content;
  private final PieceConsumer sink;
  private final Consumer<Throwable> onError;
  private boolean wanted;
  private boolean asked;
  private boolean lastHasCome;
  private boolean handing;

  /** Goes on in a later turn of the event loop. */
  private boolean resting;

  private int bytesOfTurn;
  private boolean over;

  /** Takes a piece over; the last one may be empty. */
  interface PieceConsumer {
    void accept(ByteBuf piece, boolean last);
  }

  /**
   * Takes over what decodes.
   *
   * @param onError hears once why there will be no more, if not all could be decoded
   */
  DecodedBody(
      Exchange exchange, DecodedContent content, PieceConsumer sink, Consumer<Throwable> onError) {
    this.exchange = exchange;
    this.content = content;
    this.sink = sink;
    this.onError = onError;
  }

  /** What the client has announced is something else. */
  @Override
  public long contentLength() {
    return exchange.contentLength() == 0 ? 0 : -1;
  }

  @Override
  public void readBody() {
    wanted = true;
    goOn();
  }

  /** Takes a piece over as the client has sent it. */
  void accept(ByteBuf piece, boolean last) {
    asked = false;
    if (over || !piece.isReadable()) {
      piece.release();
    } else if (!feed(piece)) {
      return;
    }
    lastHasCome |= last;
    goOn();
  }

  private boolean feed(ByteBuf piece) {
    try {
      content.feed(piece, exchange.uploads());
      return true;
    } catch (Throwable failure) {
      fail(failure);
      return false;
    }
  }

  /** Serves requests for a piece; one that is made meanwhile, on the same stack, waits here. */
  private void goOn() {
    if (handing || resting) {
      return;
    }
    handing = true;
    bytesOfTurn = 0;
    try {
      while (wanted && !over) {
        if (content.hasSource()) {
          if (bytesOfTurn >= TURN_BYTES) {
            rest();
            return;
          }
          handOn();
        } else if (lastHasCome) {
          finish();
        } else if (asked) {
          return;
        } else {
          asked = true;
          exchange.readBody();
        }
      }
    } finally {
      handing = false;
    }
  }

  private void rest() {
    resting = true;
    exchange.onLoop(() -> {
      resting = false;
      goOn();
    });
  }

  private void handOn() {
    ByteBuf piece;
    try {
      piece = content.next(exchange.uploads());
    } catch (Throwable failure) {
      fail(failure);
      return;
    }
    if (piece != null) {
      wanted = false;
      bytesOfTurn += piece.readableBytes();
      sink.accept(piece, /* last= */ false);
    }
  }

  private void finish() {
    try {
      content.finish();
    } catch (Throwable failure) {
      fail(failure);
      return;
    }
    // What is stored needs no context any more, however long that takes.
    close();
    sink.accept(Unpooled.EMPTY_BUFFER, /* last= */ true);
  }

  private void fail(Throwable failure) {
    close();
    onError.accept(failure);
  }

  /** Hands nothing on any more; once more does nothing. */
  void close() {
    if (!over) {
      over = true;
      content.close();
    }
  }
}
