package dev.weir.lab.blindspot;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Once, 60 MiB of uploads; all but one buffer in fifty go again, and those that stay do so. */
final class UploadBurst extends Feature {
  private static final int AT_STEP = 100;
  private static final long BURST_BYTES = 60 << 20;
  private static final int ONE_STAYS_OF = 50;

  UploadBurst(ByteBufAllocator allocator) {
    super("uploads", allocator);
  }

  @Override
  void step(int number, Random random) {
    if (number != AT_STEP) {
      return;
    }
    List<ByteBuf> burst = new ArrayList<>();
    for (long bytes = 0; bytes < BURST_BYTES; bytes += burst.getLast().capacity()) {
      burst.add(allocator().directBuffer((8 << 10) + random.nextInt(56 << 10)).setByte(0, 1));
    }
    for (int i = 0; i < burst.size(); i++) {
      if (i % ONE_STAYS_OF == 0) {
        hold(burst.get(i));
      } else {
        burst.get(i).release();
      }
    }
  }
}
