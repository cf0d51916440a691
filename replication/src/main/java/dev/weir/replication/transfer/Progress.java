package dev.weir.replication.transfer;

import java.util.concurrent.atomic.LongAdder;

/** How far a copy is. Written by it, read by any thread. */
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
  private final LongAdder sentBytes = new LongAdder();
  private final LongAdder keptBytes = new LongAdder();
  private final LongAdder badChunks = new LongAdder();
  private final LongAdder lostConnections = new LongAdder();
  private volatile Step step = Step.MANIFEST;
  private volatile long totalBytes;
  private volatile long peakBufferBytes;
  private volatile String note = "";

  /** Of a copy that has not begun. */
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

  /** Bytes of bodies that the system has taken. */
  public long sentBytes() {
    return sentBytes.sum();
  }

  /** Chunks that were wrong, and asked for again. */
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

  /** It goes on to a step. */
  public void begin(Step next) {
    step = next;
  }

  /** Knows how much there is. */
  public void total(long bytes) {
    totalBytes = bytes;
  }

  /** Bytes have come, and are right. */
  public void verified(long bytes) {
    verifiedBytes.add(bytes);
  }

  /** Bytes were there before, and are right. */
  public void kept(long bytes) {
    keptBytes.add(bytes);
    verifiedBytes.add(bytes);
  }

  /** Bytes have come. */
  public void received(long bytes) {
    receivedBytes.add(bytes);
  }

  /** The system has taken bytes. */
  public void sent(long bytes) {
    sentBytes.add(bytes);
  }

  /** A chunk was wrong. */
  public void badChunk() {
    badChunks.increment();
  }

  /** A connection broke. */
  public void lostConnection(String reason) {
    lostConnections.increment();
    note = reason;
  }

  /** Knows the most buffer memory. */
  public void peak(long bytes) {
    peakBufferBytes = bytes;
  }

  /** Has something to say. */
  public void say(String text) {
    note = text;
  }
}
