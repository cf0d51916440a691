package dev.weir.lab.replicate;

import java.util.List;
import java.util.Random;

/**
 * How many copies are made, when, and within what.
 *
 * @param containers how many copies
 * @param threads how many at a time, at most
 * @param arrivalsPerSecond 0: the next begins when one has ended (a closed loop)
 * @param seed of the times of arrival
 * @param rateBytes a second that the receiver takes; 0 for all that comes
 * @param directBytes of direct memory in each process
 * @param budgetBytes of Weir's pools: of the sender's, and of all that receive at a time
 * @param cutMillis a proxy cuts all connections so often; 0: there is none
 */
record CopyLoad(
    int containers,
    int threads,
    double arrivalsPerSecond,
    long seed,
    long rateBytes,
    long directBytes,
    long budgetBytes,
    int cutMillis) {
  static final int WORDS = 8;

  /** What the commands of Weir have when nothing is said. */
  static final long BUDGET_BYTES = 64L << 20;

  private static final double NANOS = 1e9;

  /** As words of a command line. */
  List<String> words() {
    return List.of(
        Integer.toString(containers),
        Integer.toString(threads),
        Double.toString(arrivalsPerSecond),
        Long.toString(seed),
        Long.toString(rateBytes),
        Long.toString(directBytes),
        Long.toString(budgetBytes),
        Integer.toString(cutMillis));
  }

  static CopyLoad of(List<String> words) {
    return new CopyLoad(
        Integer.parseInt(words.get(0)),
        Integer.parseInt(words.get(1)),
        Double.parseDouble(words.get(2)),
        Long.parseLong(words.get(3)),
        Long.parseLong(words.get(4)),
        Long.parseLong(words.get(5)),
        Long.parseLong(words.get(6)),
        Integer.parseInt(words.get(7)));
  }

  boolean isOpen() {
    return arrivalsPerSecond > 0;
  }

  /** When each arrives, in nanoseconds from the start: as in a Poisson process. */
  long[] arrivalNanos() {
    Random random = new Random(seed);
    long[] arrivals = new long[containers];
    double at = 0;
    for (int i = 0; i < containers; i++) {
      arrivals[i] = (long) (at * NANOS);
      at -= Math.log(1 - random.nextDouble()) / arrivalsPerSecond;
    }
    return arrivals;
  }
}
