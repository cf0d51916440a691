package dev.weir.lab.accumulate;

/**
 * The numbers of a run.
 *
 * @param smallUploads how many small uploads come first
 * @param smallBytes the size of each
 * @param clients how many of them come at a time
 * @param largeUploads how many large ones follow, one at a time, if none is refused
 * @param largeBytes the size of each
 * @param limitBytes of direct memory
 * @param loops event loops of the server
 * @param arenas of Netty's pooled allocators
 * @param zeroLoadMillis how long nothing is asked for at the end
 */
public record AccumulatePlan(
    int smallUploads,
    int smallBytes,
    int clients,
    int largeUploads,
    int largeBytes,
    long limitBytes,
    int loops,
    int arenas,
    int zeroLoadMillis) {
  private static final int SMALL_BYTES = 100_000;
  private static final int LARGE_BYTES = 20_000_000;

  /** The incident: sixteen loops and arenas in 256 MiB. */
  public static AccumulatePlan of(boolean quick) {
    return new AccumulatePlan(
        quick ? 1_600 : 16_000,
        SMALL_BYTES,
        /* clients= */ 16,
        /* largeUploads= */ quick ? 32 : 64,
        LARGE_BYTES,
        /* limitBytes= */ 256L << 20,
        /* loops= */ 16,
        /* arenas= */ 16,
        /* zeroLoadMillis= */ quick ? 3_000 : 20_000);
  }
}
