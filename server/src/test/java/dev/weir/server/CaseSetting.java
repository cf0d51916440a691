package dev.weir.server;

import dev.weir.server.http.HttpLimits;
import java.time.Duration;

/** A node that cases run on. */
enum CaseSetting {
  USUAL(Wait.NEVER, Wait.NEVER),
  /** Bodies, and readers, have to go on within 150 ms. */
  STALLS_ARE_SHORT(Wait.NEVER, Wait.SHORT),
  /** A head has to come within 300 ms. */
  IDLING_IS_SHORT(Wait.IDLE, Wait.NEVER),
  /** Nothing can be stored. */
  DISK_IS_FULL(Wait.NEVER, Wait.NEVER);

  /** Of one append. */
  static final int MAX_BODY_BYTES = 8 << 20;

  private static final int MAX_CONNECTIONS = 100;
  private static final int STAGING_BYTES = 8 << 20;

  private final Duration idleTimeout;
  private final Duration stallTimeout;

  CaseSetting(Duration idleTimeout, Duration stallTimeout) {
    this.idleTimeout = idleTimeout;
    this.stallTimeout = stallTimeout;
  }

  HttpLimits limits() {
    return new HttpLimits(
        MAX_CONNECTIONS,
        MAX_BODY_BYTES,
        STAGING_BYTES,
        idleTimeout,
        stallTimeout,
        Wait.NEVER,
        Wait.NEVER,
        Wait.NEVER);
  }

  /** Constants that an enum's own constants may use. */
  private static final class Wait {
    static final Duration NEVER = Duration.ofDays(1);
    static final Duration SHORT = Duration.ofMillis(150);
    static final Duration IDLE = Duration.ofMillis(300);

    private Wait() {}
  }
}
