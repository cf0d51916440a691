package dev.weir.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Buffers that one thread allocates and another releases, with contents that tell whose they are.
 */
class CrossThreadTest {
  private static final int BUFFERS_PER_THREAD = 5_000;
  private static final int MAX_BYTES = 100_000;
  private static final int IN_FLIGHT = 64;

  @RegisterExtension static final PoolUnderTest MEMORY = new PoolUnderTest();

  @Test
  void betweenThreadsWithHeapsOfTheirOwn() throws Exception {
    exchange(new DefaultThreadFactory("own-heap"));
  }

  @Test
  void betweenPlainThreads() throws Exception {
    exchange(Thread::new);
  }

  @Test
  void betweenVirtualThreads() throws Exception {
    exchange(Thread.ofVirtual().factory());
  }

  @Test
  void buffersOutliveTheThreadsThatAllocatedThem() throws Exception {
    DefaultThreadFactory threads = new DefaultThreadFactory("short-lived");
    ConcurrentLinkedQueue<ByteBuf> left = new ConcurrentLinkedQueue<>();
    for (int t = 0; t < 200; t++) {
      SplittableRandom random = new SplittableRandom(t);
      Thread thread =
          threads.newThread(() -> {
            for (int i = 0; i < 10; i++) {
              ByteBuf buffer = filled(random);
              if (i % 2 == 0) {
                left.add(buffer);
              } else {
                buffer.release();
              }
            }
          });
      thread.start();
      thread.join();
    }
    assertThat(left).hasSize(1_000);
    left.forEach(CrossThreadTest::checkAndRelease);
    MEMORY.assertEverythingReleased();
  }

  /** Two threads allocate, write and hand over; two others check and release. */
  private static void exchange(ThreadFactory threads) throws InterruptedException {
    BlockingQueue<ByteBuf> inFlight = new ArrayBlockingQueue<>(IN_FLIGHT);
    ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
    List<Thread> started = new ArrayList<>();
    for (int t = 0; t < 2; t++) {
      SplittableRandom random = new SplittableRandom(t);
      started.add(
          threads.newThread(() ->
              collecting(
                  failures,
                  () -> {
                    for (int i = 0; i < BUFFERS_PER_THREAD; i++) {
                      inFlight.put(filled(random));
                    }
                  })));
      started.add(
          threads.newThread(() ->
              collecting(
                  failures,
                  () -> {
                    for (int i = 0; i < BUFFERS_PER_THREAD; i++) {
                      checkAndRelease(inFlight.take());
                    }
                  })));
    }
    started.forEach(Thread::start);
    for (Thread thread : started) {
      thread.join();
    }
    assertThat(failures).isEmpty();
    MEMORY.assertEverythingReleased();
  }

  private static ByteBuf filled(SplittableRandom random) {
    int bytes = 12 + (random.nextInt(8) == 0 ? random.nextInt(MAX_BYTES) : random.nextInt(2_000));
    long seed = random.nextLong();
    ByteBuf buffer = MEMORY.allocator().directBuffer(random.nextInt(bytes) + 1, MAX_BYTES + 12);
    buffer.writeInt(bytes).writeLong(seed);
    SplittableRandom pattern = new SplittableRandom(seed);
    while (buffer.writerIndex() + 8 <= bytes) {
      buffer.writeLong(pattern.nextLong());
    }
    return buffer;
  }

  private static void checkAndRelease(ByteBuf buffer) {
    int bytes = buffer.readInt();
    SplittableRandom pattern = new SplittableRandom(buffer.readLong());
    while (buffer.readerIndex() + 8 <= bytes) {
      int index = buffer.readerIndex();
      long found = buffer.readLong();
      long expected = pattern.nextLong();
      if (found != expected) {
        throw new AssertionError(
            "byte %d of %s: %x, not %x".formatted(index, buffer, found, expected));
      }
    }
    assertThat(buffer.release()).isTrue();
  }

  private static void collecting(ConcurrentLinkedQueue<Throwable> failures, Task task) {
    try {
      task.run();
    } catch (Throwable t) {
      failures.add(t);
    }
  }

  private interface Task {
    void run() throws InterruptedException;
  }
}
