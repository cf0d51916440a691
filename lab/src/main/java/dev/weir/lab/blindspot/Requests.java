package dev.weir.lab.blindspot;

import io.netty.buffer.ByteBufAllocator;
import java.util.Random;

/** Buffers of 4 to 64 KiB for a tenth of a second: what a healthy service does all day. */
final class Requests extends Feature {
  private static final int PER_STEP = 20;

  Requests(ByteBufAllocator allocator) {
    super("requests", allocator);
  }

  @Override
  void step(int number, Random random) {
    while (heldBuffers() > PER_STEP) {
      releaseOldest();
    }
    for (int i = 0; i < PER_STEP; i++) {
      hold(allocator().directBuffer((4 << 10) + random.nextInt(60 << 10)));
    }
  }
}
