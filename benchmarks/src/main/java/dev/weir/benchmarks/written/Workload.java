package dev.weir.benchmarks.written;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What an event loop does with buffers that it writes. Seeds are fixed: all peers do the same. */
public enum Workload {
  /** Any of some small buffers is replaced. */
  SMALL("small", "256..16K", 256, 2_000_000),
  /** Any of some buffers is replaced; about 33 MiB are live. */
  MEDIUM("medium", "4K..128K", 512, 100_000),
  /** Any of some large buffers is replaced; about 260 MiB are live. */
  LARGE("large", "64K..4M", 128, 3_000),
  /** Buffers come ten at a time and go together, with pauses between. */
  BURSTS("bursts", "4K..64K", 10, 1_000),
  /** What a WebSocket proxy asks for. */
  PROXY("websocket-proxy", "websocket-proxy", 1_024, 4_000_000),
  /** The same with many more live. */
  PROXY_MANY("websocket-proxy-16K", "websocket-proxy", 16_384, 4_000_000),
  /** What an API gateway asks for. */
  GATEWAY("api-gateway", "api-gateway", 1_024, 4_000_000),
  /** The same with many more live. */
  GATEWAY_MANY("api-gateway-16K", "api-gateway", 16_384, 4_000_000);

  static final String WORKLOAD = "workload";

  private final String label;
  private final String sizes;
  private final int live;
  private final int operations;

  Workload(String label, String sizes, int live, int operations) {
    this.label = label;
    this.sizes = sizes;
    this.live = live;
    this.operations = operations;
  }

  /** The name on the command line and in reports. */
  public String label() {
    return label;
  }

  /** A mix of sizes as text. */
  String sizes() {
    return sizes;
  }

  /** How many buffers are live; of bursts, how many come at once. */
  int live() {
    return live;
  }

  /** How many buffers are allocated and released while the time is taken. */
  int operations() {
    return operations;
  }

  /** The parameters of its cell. */
  Map<String, String> parameters() {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put(WORKLOAD, label);
    parameters.put("sizes", sizes);
    parameters.put("live", Integer.toString(live));
    return parameters;
  }

  /**
   * Finds a workload by its label.
   *
   * @throws IllegalArgumentException if there is none
   */
  static Workload of(@Nullable String label) {
    for (Workload workload : values()) {
      if (workload.label.equals(label)) {
        return workload;
      }
    }
    throw new IllegalArgumentException("no workload '" + label + "'");
  }
}
