package dev.weir.netty.write;

/**
 * Fired through the pipeline as a user event when a {@link WriteGate} closes a channel, from a task
 * of its own, and logged. Nothing can be written any more.
 *
 * @param reason why
 * @param queuedBytes what was queued then
 * @param message the reason in words, with the bound
 */
public record OutboundClosing(Reason reason, long queuedBytes, String message) {
  /** Why a channel is closed. */
  public enum Reason {
    /** Its peer has left too much for too long, or has taken too little while others waited. */
    SLOW_PEER,
    /** More was written than the channel may queue: a producer does not look at writability. */
    CHANNEL_FULL,
    /** More was written than all channels may queue together. */
    TOTAL_FULL,
    /** A write failed, for want of memory for instance: what would follow makes no sense. */
    WRITE_FAILED
  }

  /** A channel with so much queued goes, because a write has failed. */
  static OutboundClosing brokenBy(Throwable cause, long queuedBytes) {
    return new OutboundClosing(Reason.WRITE_FAILED, queuedBytes, "a write failed: " + cause);
  }

  /** The same, because it may not queue a message of so many bytes for that reason. */
  static OutboundClosing refusing(Reason reason, int bytes, long queuedBytes, WriteGate gate) {
    WriteGateOptions bounds = gate.options();
    String words =
        reason == Reason.CHANNEL_FULL
            ? "%d bytes are queued already, the channel's bound is %d"
                .formatted(queuedBytes, bounds.channelBytes())
            : "%d bytes beside %d queued in total exceed the bound of %d"
                .formatted(bytes, gate.queuedBytes(), bounds.totalBytes());
    return new OutboundClosing(reason, queuedBytes, words);
  }
}
