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
}
