package dev.weir.replication.fetch;

import java.util.concurrent.atomic.LongAdder;

/** How far a fetch is. Written by it, read by any thread. */
public final class Progress {
  /** What it does now. */
  public enum Step {
    /** Waits for the manifest, or reads it. */
    MANIFEST,
    /** Moves bytes. */
    BYTES,
    /** Brings what has come to the disk. */
    SYNC,
    /** Has ended. */
    DONE
  }

  private final LongAdder verifiedBytes = new LongAdder();
  private final LongAdder receivedBytes = new LongAdder();
  private final LongAdder keptBytes = new LongAdder();
  private final LongAdder badChunks = new LongAdder();
  private final LongAdder lostConnections = new LongAdder();
  private volatile Step step = Step.MANIFEST;
  private volatile long totalBytes;
  private volatile long peakBufferBytes;
  private volatile String note = "";

  /** Of a fetch that has not begun. */
  public Progress() {}

  /** What it does now. */
  public Step step() {
    return step;
  }

  /** The bytes to be there at the end, without holes; 0 until the manifest says so. */
  public long totalBytes() {
    return totalBytes;
  }

  /** Those that are there and right, of this attempt and of earlier ones. */
  public long verifiedBytes() {
    return verifiedBytes.sum();
  }

  /** Those of them that were there before. */
  public long keptBytes() {
    return keptBytes.sum();
  }

  /** Bytes of bodies that came over the network. */
  public long receivedBytes() {
    return receivedBytes.sum();
  }

  /** Chunks that were wrong, and fetched again. */
  public long badChunks() {
    return badChunks.sum();
  }

  /** Connections that broke. */
  public long lostConnections() {
    return lostConnections.sum();
  }

  /** The most buffer memory that was resident; 0 until the end. */
  public long peakBufferBytes() {
    return peakBufferBytes;
  }

  /** What the source says of the manifest that it makes, or why a connection was lost. */
  public String note() {
    return note;
  }

  void begin(Step next) {
    step = next;
  }

  void total(long bytes) {
    totalBytes = bytes;
  }

  void verified(long bytes) {
    verifiedBytes.add(bytes);
  }

  void kept(long bytes) {
    keptBytes.add(bytes);
    verifiedBytes.add(bytes);
  }

  void received(long bytes) {
    receivedBytes.add(bytes);
  }

  void badChunk() {
    badChunks.increment();
  }

  void lostConnection(String reason) {
    lostConnections.increment();
    note = reason;
  }

  void peak(long bytes) {
    peakBufferBytes = bytes;
  }

  void say(String text) {
    note = text;
  }
}
