package dev.weir.lab.trace;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * A stretch of a trace that has figures of its own.
 *
 * @param label what it is called in reports; at most {@link #MAX_LABEL_BYTES} in UTF-8
 * @param kind what its figures mean for those of the whole trace
 */
public record TracePhase(String label, Kind kind) {
  /** The longest label, in bytes of UTF-8. */
  public static final int MAX_LABEL_BYTES = 200;

  /** What a phase is for. */
  public enum Kind {
    /** Its figures count. */
    COUNTED,
    /** Blocks that are older than the recording begin to live: nothing of it counts. */
    OLDER,
    /** It brings the allocator into the state that is to be measured: nothing of it counts. */
    WARM_UP,
    /**
     * Most of what is live ends. What is held at that very moment says nothing of an allocator, so
     * the ratios do not count; what is still held after a pause does.
     */
    DROP;

    /** Whether its figures count for those of the whole trace. */
    public boolean counts() {
      return this == COUNTED || this == DROP;
    }
  }

  /** Checks the label. */
  public TracePhase {
    if (label.getBytes(UTF_8).length > MAX_LABEL_BYTES) {
      throw new IllegalArgumentException("label of more than " + MAX_LABEL_BYTES + " bytes");
    }
  }
}
