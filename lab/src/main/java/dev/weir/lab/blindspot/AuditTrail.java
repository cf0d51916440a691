package dev.weir.lab.blindspot;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Random;

/** Writes a record of what happened, and forgets to release it. */
final class AuditTrail extends Feature {
  private static final int RECORD_BYTES = 8 << 10;
  private static final int STEPS_PER_SECOND = 20;

  private final long bytesPerSecond;
  private long dueBytes;

  AuditTrail(ByteBufAllocator allocator, long bytesPerSecond) {
    super("audit", allocator);
    this.bytesPerSecond = bytesPerSecond;
  }

  @Override
  void step(int number, Random random) {
    dueBytes += bytesPerSecond / STEPS_PER_SECOND;
    for (; dueBytes >= RECORD_BYTES; dueBytes -= RECORD_BYTES) {
      record();
    }
  }

  private void record() {
    ByteBuf line = allocator().directBuffer(RECORD_BYTES);
    hold(line);
  }
}
