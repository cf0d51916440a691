package dev.weir.memory.pressure;

/**
 * How close a budget is to its limit.
 *
 * <pre>
 *               rises at                        falls below
 *   CRITICAL    15/16 of the limit              14/16 of the limit
 *   HIGH        the soft limit, 3/4 by default  1/16 of the limit less than that, or 1/8 of the
 *                                               soft limit less if that is nearer
 * </pre>
 *
 * <p>What lies between two marks changes nothing, so a budget that hovers about one of them does
 * not flap.
 */
public enum Pressure {
  /** There is room. */
  NONE,
  /** Above the soft limit: admit less. */
  HIGH,
  /** Close to the limit: finish what has begun, and nothing else. */
  CRITICAL;

  /** Of a limit, the distance between two marks: 1/16 is 4 MiB of 64, some uploads' chunks. */
  private static final int STEP_SHIFT = 4;

  /** Of a mark, the most between rising to it and falling below: a small soft limit can be left. */
  private static final int MAX_STEP_SHIFT = 3;

  /**
   * The soft limit where none was set: three quarters of the limit.
   *
   * @param limitBytes {@link Long#MAX_VALUE} for none; then there is no soft one either
   */
  public static long defaultSoftLimitBytes(long limitBytes) {
    return limitBytes == Long.MAX_VALUE ? Long.MAX_VALUE : limitBytes - limitBytes / 4;
  }

  /**
   * The level of a budget that had this one.
   *
   * @param usedBytes what counts against its limit
   * @param softLimitBytes where {@link #HIGH} begins, if that is below {@link #CRITICAL}
   * @param limitBytes {@link Long#MAX_VALUE} for none: nothing is critical then
   */
  public Pressure next(long usedBytes, long softLimitBytes, long limitBytes) {
    return usedBytes >= lowestBytes(CRITICAL, softLimitBytes, limitBytes)
        ? CRITICAL
        : usedBytes >= lowestBytes(HIGH, softLimitBytes, limitBytes) ? HIGH : NONE;
  }

  /**
   * What must be used for a level, coming from this one: more to rise to it than to stay there.
   *
   * @return {@link Long#MAX_VALUE} if it cannot be reached; 0 for {@link #NONE}
   */
  public long lowestBytes(Pressure level, long softLimitBytes, long limitBytes) {
    long criticalBytes =
        limitBytes == Long.MAX_VALUE ? Long.MAX_VALUE : limitBytes - (limitBytes >> STEP_SHIFT);
    long riseBytes =
        switch (level) {
          case NONE -> 0;
          case HIGH -> Math.min(softLimitBytes, criticalBytes);
          case CRITICAL -> criticalBytes;
        };
    if (compareTo(level) < 0 || riseBytes == Long.MAX_VALUE) {
      return riseBytes;
    }
    return riseBytes - Math.min(limitBytes >> STEP_SHIFT, riseBytes >> MAX_STEP_SHIFT);
  }
}
