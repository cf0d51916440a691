package dev.weir.server.console;

import dev.weir.memory.PoolSnapshot;
import dev.weir.memory.profile.LeakSuspect;
import dev.weir.memory.profile.LiveProfile;
import dev.weir.memory.profile.LiveSite;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A pool on a page or two, for a person or a ticket. */
final class DumpText {
  private static final int MAX_PLACES = 40;
  private static final int MAX_FRAMES = 24;

  private final StringBuilder text = new StringBuilder();

  private DumpText() {}

  static String of(
      PoolSnapshot pool, LiveProfile profile, List<LeakSuspect> suspects, Duration leakAge) {
    DumpText dump = new DumpText();
    dump.text.append(pool).append('\n');
    dump.suspects(suspects, leakAge);
    dump.places(profile);
    return dump.text.toString();
  }

  private void suspects(List<LeakSuspect> suspects, Duration leakAge) {
    line(
        "suspected leaks, live for more than %,d s and growing: %s"
            .formatted(leakAge.toSeconds(), suspects.isEmpty() ? "none" : suspects.size()));
    for (LeakSuspect suspect : suspects) {
      line(
          ("  %,d bytes in about %,d blocks, %,d bytes/s more for %,d s, the oldest %,d s old,"
                  + " budget %s%s")
              .formatted(
                  suspect.bytes(),
                  suspect.blocks(),
                  suspect.growthBytesPerSecond(),
                  seconds(suspect.growingNanos()),
                  seconds(suspect.oldestNanos()),
                  suspect.budget(),
                  suspect.budgets() > 1 ? " and %,d more".formatted(suspect.budgets() - 1) : ""));
      stack(suspect.stack());
    }
  }

  private void places(LiveProfile profile) {
    List<LiveSite> sites = profile.sites();
    line(
        ("%nlive memory by code and budget, estimated from %,d samples, one in %,d bytes: %,d"
                + " bytes%s")
            .formatted(
                profile.samples().size(),
                profile.bytesPerSample(),
                profile.bytes(),
                profile.lostSamples() > 0
                    ? "; %,d samples could not be kept".formatted(profile.lostSamples())
                    : ""));
    for (LiveSite site : sites.subList(0, Math.min(MAX_PLACES, sites.size()))) {
      line(
          "  %,d bytes in about %,d blocks, the oldest %,d s old, budget %s"
              .formatted(site.bytes(), site.blocks(), seconds(site.oldestNanos()), site.budget()));
      stack(site.stack());
    }
    if (sites.size() > MAX_PLACES) {
      line("  and %,d places with less".formatted(sites.size() - MAX_PLACES));
    }
  }

  private void stack(List<StackTraceElement> stack) {
    CodeText.frames(stack, MAX_FRAMES).forEach(frame -> line("      %s".formatted(frame)));
    if (stack.size() > MAX_FRAMES) {
      line("      ... %d more".formatted(stack.size() - MAX_FRAMES));
    }
  }

  private static long seconds(long nanos) {
    return TimeUnit.NANOSECONDS.toSeconds(nanos);
  }

  private void line(String content) {
    text.append(content).append('\n');
  }
}
