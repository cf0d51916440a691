package dev.weir.netty.write;

import io.netty.handler.stream.ChunkedInput;
import io.netty.util.ReferenceCountUtil;

/** Messages that a handler was given to write, and does not pass on. */
public final class Unwritten {
  private static final System.Logger LOG = System.getLogger(Unwritten.class.getName());

  private Unwritten() {}

  /**
   * Gives back what {@code message} holds: closes a {@link ChunkedInput}, and releases one
   * reference of anything else that is counted. Failures to close are logged. On the thread that
   * would have written it.
   */
  public static void release(Object message) {
    if (message instanceof ChunkedInput<?> input) {
      try {
        input.close();
      } catch (Exception failure) {
        LOG.log(
            System.Logger.Level.WARNING, "an input that was not written is not closed", failure);
      }
    } else {
      ReferenceCountUtil.release(message);
    }
  }
}
