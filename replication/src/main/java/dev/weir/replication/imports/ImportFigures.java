package dev.weir.replication.imports;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** What has come by imports so far. Any thread. */
public final class ImportFigures {
  private final LongAdder receivedBytes = new LongAdder();
  private final LongAdder verifiedBytes = new LongAdder();
  private final LongAdder repeatedBytes = new LongAdder();
  private final LongAdder wrongChunks = new LongAdder();
  private final LongAdder completed = new LongAdder();
  private final AtomicInteger active = new AtomicInteger();

  /** Nothing yet. */
  public ImportFigures() {}

  /** Bytes of bodies. */
  public long receivedBytes() {
    return receivedBytes.sum();
  }

  /** Those whose checksums were right. */
  public long verifiedBytes() {
    return verifiedBytes.sum();
  }

  /** Those that had come before: sent again. */
  public long repeatedBytes() {
    return repeatedBytes.sum();
  }

  /** Chunks whose checksums were wrong. */
  public long wrongChunks() {
    return wrongChunks.sum();
  }

  /** Imports that have their name. */
  public long completed() {
    return completed.sum();
  }

  /** Imports that are under way. */
  public int active() {
    return active.get();
  }

  void received(long bytes) {
    receivedBytes.add(bytes);
  }

  void verified(long bytes) {
    verifiedBytes.add(bytes);
  }

  void repeated(long bytes) {
    repeatedBytes.add(bytes);
  }

  void wrong() {
    wrongChunks.increment();
  }

  void done() {
    completed.increment();
  }

  void began() {
    active.incrementAndGet();
  }

  void ended() {
    active.decrementAndGet();
  }
}
