package dev.weir.lab.blindspot;

import io.netty.buffer.ByteBufAllocator;
import java.util.Random;

/** A cache of 32 MiB, first in first out: large, old, and in order. */
final class ReplyCache extends Feature {
  private static final long CAPACITY_BYTES = 32 << 20;
  private static final int FILLING_PER_STEP = 200;
  private static final int RENEWED_PER_STEP = 20;

  ReplyCache(ByteBufAllocator allocator) {
    super("cache", allocator);
  }

  @Override
  void step(int number, Random random) {
    int entries = heldBytes() < CAPACITY_BYTES * 9 / 10 ? FILLING_PER_STEP : RENEWED_PER_STEP;
    for (int i = 0; i < entries; i++) {
      hold(allocator().directBuffer((1 << 10) + random.nextInt(15 << 10)));
      while (heldBytes() > CAPACITY_BYTES) {
        releaseOldest();
      }
    }
  }
}
