package dev.weir.compression.context;

import dev.weir.compression.codec.Encoder;
import dev.weir.compression.codec.Step;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * A context for the length of one stream. The context goes back once, however often this is closed.
 *
 * @param <K> what the context was made for
 */
public final class LeasedEncoder<K> implements Encoder {
  private final ContextPool<K, EncoderContext> pool;
  private final K kind;
  private @Nullable EncoderContext context;

  private LeasedEncoder(ContextPool<K, EncoderContext> pool, K kind, EncoderContext context) {
    this.pool = pool;
    this.kind = kind;
    this.context = context;
  }

  /**
   * Begins a stream.
   *
   * @param sourceBytes its length, or {@link EncoderContext#UNKNOWN_LENGTH}
   * @return null if there is no room for a context
   */
  public static <K> @Nullable LeasedEncoder<K> tryBegin(
      ContextPool<K, EncoderContext> pool, K kind, long sourceBytes) {
    EncoderContext context = pool.tryTake(kind);
    if (context == null) {
      return null;
    }
    boolean begun = false;
    try {
      context.begin(sourceBytes);
      LeasedEncoder<K> lease = new LeasedEncoder<>(pool, kind, context);
      begun = true;
      return lease;
    } finally {
      if (!begun) {
        context.destroy();
      }
    }
  }

  @Override
  public boolean encode(ByteBuf source, ByteBuf target, Step step) {
    EncoderContext current = context;
    if (current == null) {
      throw new IllegalStateException("the encoder has been closed");
    }
    boolean worked = false;
    try {
      boolean done = current.encode(source, target, step);
      worked = true;
      return done;
    } finally {
      if (!worked) {
        // Nobody else is to have a context that has failed.
        context = null;
        current.destroy();
      }
    }
  }

  @Override
  public void close() {
    EncoderContext last = context;
    context = null;
    if (last != null) {
      pool.giveBack(kind, last);
    }
  }
}
