package dev.weir.benchmarks.streams.load;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Readers of one stream, each with a thread and a connection, as fast as they are served. */
public final class Readers {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double BYTES_PER_MB = 1e6;

  private Readers() {}

  /** What is done while others read. */
  @FunctionalInterface
  public interface Work {
    /** Takes its time. */
    void run() throws IOException;
  }

  /**
   * Each reads the first stream of the target once, all at the same time.
   *
   * @param bytes that each has to read
   * @return megabytes in a second, of all together
   * @throws IOException if one of them gets something else
   */
  public static double once(Target target, int readers, long bytes) throws IOException {
    List<Callable<Long>> tasks = new ArrayList<>();
    for (int i = 0; i < readers; i++) {
      tasks.add(() -> {
        try (CatchUp reader = new CatchUp(target, new LongAdder())) {
          return reader.read();
        }
      });
    }
    long start = System.nanoTime();
    try (ExecutorService threads = Executors.newFixedThreadPool(readers)) {
      for (Future<Long> read : threads.invokeAll(tasks)) {
        if (value(read) != bytes) {
          throw new IOException("a reader got %,d of %,d bytes".formatted(value(read), bytes));
        }
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while readers read");
    }
    double seconds = (System.nanoTime() - start) / NANOS_PER_SECOND;
    return readers * bytes / BYTES_PER_MB / seconds;
  }

  /**
   * Each reads the first stream of the target again and again for some time.
   *
   * @return megabytes in a second, of all together
   * @throws IOException if a read fails
   */
  public static double during(Target target, int readers, Duration time) throws IOException {
    return beside(
        target,
        readers,
        () -> {
          long end = System.nanoTime() + time.toNanos();
          for (long left; (left = end - System.nanoTime()) > 0; ) {
            LockSupport.parkNanos(left);
          }
        });
  }

  /**
   * Each reads the first stream of the target again and again while something else is done.
   *
   * @return megabytes in a second, of all together
   * @throws IOException if a read or the work fails
   */
  public static double beside(Target target, int readers, Work work) throws IOException {
    LongAdder received = new LongAdder();
    AtomicBoolean isOver = new AtomicBoolean();
    List<CatchUp> open = new ArrayList<>();
    List<Future<Long>> reads = new ArrayList<>();
    double perSecond;
    try (ExecutorService threads = Executors.newFixedThreadPool(readers)) {
      long start = System.nanoTime();
      try {
        for (int i = 0; i < readers; i++) {
          CatchUp reader = new CatchUp(target, received);
          open.add(reader);
          reads.add(threads.submit(() -> readUntil(isOver, reader)));
        }
        work.run();
      } finally {
        double seconds = (System.nanoTime() - start) / NANOS_PER_SECOND;
        perSecond = received.sum() / BYTES_PER_MB / seconds;
        isOver.set(true);
        for (CatchUp reader : open) {
          reader.close();
        }
      }
    }
    for (Future<Long> read : reads) {
      value(read);
    }
    return perSecond;
  }

  /** Reads again and again; the reads that were whole. */
  private static long readUntil(AtomicBoolean isOver, CatchUp reader) throws IOException {
    long reads = 0;
    try {
      while (!isOver.get()) {
        reader.read();
        reads++;
      }
    } catch (IOException closed) {
      if (!isOver.get()) {
        throw closed;
      }
    }
    return reads;
  }

  private static long value(Future<Long> read) throws IOException {
    try {
      return read.get();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while readers read");
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof IOException reason) {
        throw reason;
      }
      throw new IOException("a reader failed: " + failed.getCause(), failed);
    }
  }
}
