package dev.weir.server.console;

import dev.weir.memory.profile.LiveProfile;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A part of the live profile.
 *
 * @param budget the path of the budget that it is charged to, or below; null for all
 * @param olderThan what has been live for longer; zero for all
 */
public record ProfileQuery(@Nullable String budget, Duration olderThan) {
  /** All of it. */
  public static final ProfileQuery ALL = new ProfileQuery(null, Duration.ZERO);

  LiveProfile of(LiveProfile profile) {
    LiveProfile old = olderThan.isZero() ? profile : profile.olderThan(olderThan);
    return budget == null ? old : old.chargedTo(budget);
  }
}
