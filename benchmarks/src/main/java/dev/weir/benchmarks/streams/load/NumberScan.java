package dev.weir.benchmarks.streams.load;

import io.netty.buffer.ByteBuf;
import java.util.function.LongConsumer;

/**
 * Finds numbers between two at signs in bytes that come in pieces of any length, whatever else is
 * there: the times at which messages were sent. One connection's.
 */
final class NumberScan {
  private static final int MARK = '@';

  private final LongConsumer found;
  private boolean isInside;
  private long number;

  NumberScan(LongConsumer found) {
    this.found = found;
  }

  /** How a number goes out. */
  static String text(long number) {
    return "@" + number + "@";
  }

  /** Goes through a piece, and leaves its indices as they are. */
  void scan(ByteBuf piece) {
    piece.forEachByte(this::step);
  }

  private boolean step(byte next) {
    if (next == MARK) {
      if (isInside && number > 0) {
        found.accept(number);
        isInside = false;
      } else {
        isInside = true;
      }
      number = 0;
    } else if (isInside && next >= '0' && next <= '9') {
      number = 10 * number + next - '0';
    } else {
      isInside = false;
    }
    return true;
  }
}
