package dev.weir.lab.gateway;

/**
 * The numbers of a run.
 *
 * @param contentBytes of a response, uncompressed
 * @param clients how many ask at a time, one request after the other
 * @param vanishEvery of so many responses a client resets the connection within one
 * @param loadMillis how long they all ask
 * @param lightMillis how long a single one asks, 20 times a second
 * @param zeroMillis how long none asks
 * @param limitBytes of direct memory
 */
public record GatewayPlan(
    int contentBytes,
    int clients,
    int vanishEvery,
    int loadMillis,
    int lightMillis,
    int zeroMillis,
    long limitBytes) {

  /** Responses of 20 KB, a tenth of which are cut off. */
  public static GatewayPlan of(boolean quick) {
    return new GatewayPlan(
        /* contentBytes= */ 20_000,
        /* clients= */ 32,
        /* vanishEvery= */ 10,
        /* loadMillis= */ quick ? 8_000 : 60_000,
        /* lightMillis= */ quick ? 2_000 : 20_000,
        /* zeroMillis= */ quick ? 10_000 : 20_000,
        /* limitBytes= */ 256L << 20);
  }
}
