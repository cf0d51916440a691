package dev.weir.lab.slowclients;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * One of many clients: how much it sends or takes, and how fast.
 *
 * @param bytes the length of its body
 * @param bytesPerSecond its pace
 */
record SlowClient(long bytes, long bytesPerSecond) {
  private static final int PERCENT = 100;
  private static final int MEDIUM_PERCENT = 9;
  private static final int MEDIUM_BYTES = 1_000_000;
  private static final int MEDIUM_PACE = 1_000_000;
  private static final int MIN_SMALL_BYTES = 1_000;
  private static final int MAX_SMALL_BYTES = 10_000;
  private static final int SMALL_PACE = 100_000;
  private static final long SEED = 20;

  /**
   * So many clients in an order that is always the same: one in a hundred is large, nine are of 1
   * MB, the others of 1 to 10 KB.
   */
  static List<SlowClient> mix(int count, SlowClient large) {
    Random random = new Random(SEED);
    List<SlowClient> clients = new ArrayList<>();
    int larges = largeOf(count);
    int mediums = count * MEDIUM_PERCENT / PERCENT;
    for (int i = 0; i < count; i++) {
      clients.add(
          i < larges
              ? large
              : i < larges + mediums
                  ? new SlowClient(MEDIUM_BYTES, MEDIUM_PACE)
                  : new SlowClient(
                      random.nextInt(MIN_SMALL_BYTES, MAX_SMALL_BYTES + 1), SMALL_PACE));
    }
    Collections.shuffle(clients, random);
    return clients;
  }

  /** How many of so many clients are large. */
  static int largeOf(int count) {
    return Math.ceilDiv(count, PERCENT);
  }
}
