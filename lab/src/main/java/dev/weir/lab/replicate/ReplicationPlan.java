package dev.weir.lab.replicate;

/**
 * The numbers of a run.
 *
 * @param containers copied at once, each in a stream of its own
 * @param containerBytes of each
 * @param rateBytes a second that the receiver takes, of all
 * @param directBytes the limit of each process
 * @param budgetBytes Weir's {@code --budget} on both sides
 */
public record ReplicationPlan(
    int containers, long containerBytes, long rateBytes, long directBytes, long budgetBytes) {
  /** Connections of each copy, for all. */
  static final int CONNECTIONS = 1;

  /** Ten containers into a receiver that takes 50 MB/s. */
  public static ReplicationPlan of(boolean quick) {
    return new ReplicationPlan(
        /* containers= */ 10,
        /* containerBytes= */ quick ? 60_000_000 : 1_000_000_000,
        /* rateBytes= */ 50_000_000,
        /* directBytes= */ 256L << 20,
        /* budgetBytes= */ 64L << 20);
  }

  CopyLoad load() {
    return new CopyLoad(
        containers,
        /* threads= */ containers,
        /* arrivalsPerSecond= */ 0,
        /* seed= */ 1,
        rateBytes,
        directBytes,
        budgetBytes,
        /* cutMillis= */ 0);
  }
}
