package dev.weir.lab.blindspot;

import dev.weir.lab.memory.AddressRange;
import dev.weir.lab.memory.Smaps;
import dev.weir.lab.report.Bytes;
import dev.weir.memory.Pool;
import dev.weir.memory.profile.LeakSuspect;
import dev.weir.memory.profile.LeakWatch;
import dev.weir.memory.profile.LiveSite;
import dev.weir.memory.view.BudgetView;
import dev.weir.memory.view.MapWindow;
import dev.weir.memory.view.PoolView;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What a pool tells. */
final class WeirWitness implements Witness {
  private static final int MAX_SITES = 5;

  private final Pool pool;
  private final LeakWatch watch;

  WeirWitness(Pool pool, Duration leakAge) {
    this.pool = pool;
    this.watch = new LeakWatch(leakAge);
  }

  @Override
  public void look() {
    watch.read(pool.profileOlderThan(watch.threshold()), System.nanoTime());
  }

  @Override
  public List<String> allocatorSays() {
    PoolView view = pool.view(MapWindow.NOTHING);
    List<String> lines = new ArrayList<>();
    lines.add(
        "resident %s MiB of %s: blocks %s, free slots %s, uncommitted %s, dirty %s"
            .formatted(
                Bytes.mib(view.residentBytes()),
                Bytes.mib(view.limitBytes()),
                Bytes.mib(view.blockBytes()),
                Bytes.mib(view.waste().freeSlotBytes()),
                Bytes.mib(view.waste().uncommittedBytes()),
                Bytes.mib(view.waste().dirtyBytes())));
    for (BudgetView budget : view.budgets().children()) {
      lines.add(
          "budget %-8s charged %5s MiB, peak %5s"
              .formatted(
                  budget.name(), Bytes.mib(budget.chargedBytes()), Bytes.mib(budget.peakBytes())));
    }
    for (LiveSite site : pool.profile().sites().stream().limit(MAX_SITES).toList()) {
      lines.add(
          "by code: %s holds about %s MiB, the oldest %,d s old"
              .formatted(
                  place(site.stack()),
                  Bytes.mib(site.bytes()),
                  TimeUnit.NANOSECONDS.toSeconds(site.oldestNanos())));
    }
    for (LeakSuspect suspect : watch.suspects()) {
      lines.add(
          "suspected leak: %s grows by %s MiB/s, holds %s MiB older than %d s, budget %s"
              .formatted(
                  place(suspect.stack()),
                  Bytes.mib(suspect.growthBytesPerSecond()),
                  Bytes.mib(suspect.bytes()),
                  watch.threshold().toSeconds(),
                  suspect.budget()));
    }
    return lines;
  }

  private static String place(List<StackTraceElement> stack) {
    StackTraceElement frame = stack.getFirst();
    String name = frame.getClassName();
    return "%s.%s(%s:%d)"
        .formatted(
            name.substring(name.lastIndexOf('.') + 1),
            frame.getMethodName(),
            frame.getFileName(),
            frame.getLineNumber());
  }

  @Override
  public String kernelSays() throws IOException {
    AddressRange range = new AddressRange(pool.reservationAddress(), pool.reservationBytes());
    return "Rss of the reservation's addresses is %s MiB"
        .formatted(Bytes.mib(new Smaps().rssBytes(range)));
  }
}
