package dev.weir.lab.gateway;

import java.util.Arrays;
import java.util.stream.Collectors;

/** How a gateway compresses its responses with zstd. */
public enum GatewayCoder {
  /** Each piece is copied into the Java heap, compressed there, and wrapped. */
  HEAP_COPIES("heap-copies"),
  /** A stream for each response, which a finalizer frees where a client vanishes. */
  FINALIZERS("finalizers"),
  /** Netty's handler over its adaptive allocator. */
  NETTY("netty-compressor"),
  /** Weir's handler over Weir. */
  WEIR("weir");

  private final String label;

  GatewayCoder(String label) {
    this.label = label;
  }

  /** The name on the command line and in reports. */
  public String label() {
    return label;
  }

  /**
   * Finds one by its label.
   *
   * @throws IllegalArgumentException if there is none; the message lists what there is
   */
  public static GatewayCoder of(String label) {
    for (GatewayCoder coder : values()) {
      if (coder.label.equals(label)) {
        return coder;
      }
    }
    throw new IllegalArgumentException(
        "no way of compressing '%s'; there are %s"
            .formatted(
                label,
                Arrays.stream(values())
                    .map(GatewayCoder::label)
                    .collect(Collectors.joining(", "))));
  }
}
