package dev.weir.lab.slowclients;

import static dev.weir.lab.report.JsonLines.number;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The numbers of one run.
 *
 * @param direction what the clients do
 * @param clients how many do each of it
 * @param largeBytes the length of the largest bodies, one in a hundred
 * @param largePace their bytes a second
 * @param holdMillis how long the server holds a whole upload before it answers
 * @param limitBytes the direct memory that each allocator may use
 * @param gateBytes the uploads that admission lets in at a time in front of Netty's allocators
 */
record SlowClientsPlan(
    Direction direction,
    int clients,
    long largeBytes,
    long largePace,
    int holdMillis,
    long limitBytes,
    long gateBytes) {

  /** What goals are set for, and each plan's default. */
  static final int CLIENTS = 1000;

  static final int LARGE_BYTES = 100_000_000;
  static final int LARGE_PACE = 10_000_000;
  static final int LIMIT_BYTES = 256 << 20;

  /** As long as a quick piece of work on a body takes. */
  static final int HOLD_MILLIS = 20;

  /** Whether goals are set for it. */
  boolean isAsDescribed() {
    return clients == CLIENTS
        && largeBytes == LARGE_BYTES
        && largePace == LARGE_PACE
        && limitBytes == LIMIT_BYTES;
  }

  List<SlowClient> mix() {
    return SlowClient.mix(clients, new SlowClient(largeBytes, largePace));
  }

  /**
   * How long it takes at least, in seconds, where the large uploads are held whole: as many at a
   * time as the limit has room for, one round after the other. Otherwise as long as one download.
   */
  double leastSeconds() {
    double oneSeconds = (double) largeBytes / largePace;
    long atOnce = Math.max(1, limitBytes / largeBytes);
    return direction.uploads()
        ? Math.ceilDiv((long) SlowClient.largeOf(clients), atOnce) * oneSeconds
        : oneSeconds;
  }

  /** As a JSON object, for the process under test. */
  Map<String, Object> toMap() {
    Map<String, Object> map = new HashMap<>();
    map.put("direction", direction.label());
    map.put("clients", clients);
    map.put("largeBytes", largeBytes);
    map.put("largePace", largePace);
    map.put("holdMillis", holdMillis);
    map.put("limitBytes", limitBytes);
    map.put("gateBytes", gateBytes);
    return map;
  }

  static SlowClientsPlan of(Map<String, Object> map) {
    return new SlowClientsPlan(
        Direction.of(String.valueOf(map.get("direction"))),
        (int) number(map, "clients"),
        number(map, "largeBytes"),
        number(map, "largePace"),
        (int) number(map, "holdMillis"),
        number(map, "limitBytes"),
        number(map, "gateBytes"));
  }
}
