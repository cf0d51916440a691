package dev.weir.replication.command;

import dev.weir.replication.fetch.FetchException;
import dev.weir.replication.fetch.FetchOptions;
import dev.weir.replication.fetch.FetchResult;
import dev.weir.replication.fetch.Progress;
import dev.weir.replication.fetch.Standby;
import dev.weir.replication.net.Lag;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Model.CommandSpec;
import tools.jackson.jr.ob.JSON;

/**
 * Keeps a standby until the process is ended. The first turn must succeed; a later one that fails
 * is told and tried again, since the source may be down, which is what a standby is for.
 */
final class StandbyWatch {
  /** A line so often while nothing is new. */
  private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final CommandSpec spec;
  private final FetchOptions options;
  private final int everySeconds;
  private final boolean json;
  private Lag lag = Lag.UNKNOWN;
  private long contactNanos;
  private long toldNanos;

  StandbyWatch(CommandSpec spec, FetchOptions options, int everySeconds, boolean json) {
    this.spec = spec;
    this.options = options;
    this.everySeconds = everySeconds;
    this.json = json;
  }

  /** Runs until it is interrupted, or the place is no standby any more. */
  int run() throws IOException, InterruptedException {
    try (Standby standby = Standby.open(options)) {
      turn(standby);
      CountDownLatch never = new CountDownLatch(1);
      while (!never.await(everySeconds, TimeUnit.SECONDS)) {
        try {
          turn(standby);
        } catch (IOException failed) {
          if (standby.isOpened()) {
            throw failed;
          }
          tellFailure(standby, failed);
        }
      }
      return 0;
    }
  }

  @SuppressWarnings("try") // the printer looks at the progress by itself
  private void turn(Standby standby) throws IOException, InterruptedException {
    Progress progress = new Progress();
    Standby.Turn turn;
    try (ProgressPrinter printer = ProgressPrinter.start(progress)) {
      turn = standby.turn(progress);
    }
    contactNanos = System.nanoTime();
    lag = turn.lag();
    FetchResult brought = turn.brought();
    if (brought != null) {
      tellNew(brought, progress);
    } else if (System.nanoTime() - toldNanos > QUIET_NANOS) {
      tellQuiet(standby);
    }
  }

  private void tellNew(FetchResult brought, Progress progress) {
    tell(
        "%s  %,d entries, %,d bytes, all verified; %,d came in %.1f s"
            .formatted(
                brought.directory(),
                brought.entries(),
                brought.bytes(),
                progress.receivedBytes(),
                brought.seconds()),
        Map.of(
            "outcome", "done",
            "directory", brought.directory().toString(),
            "entries", brought.entries(),
            "bytes", brought.bytes(),
            "receivedBytes", progress.receivedBytes(),
            "keptBytes", progress.keptBytes(),
            "seconds", brought.seconds()));
  }

  private void tellQuiet(Standby standby) {
    tell(
        "%s  nothing new".formatted(standby.link()),
        Map.of("outcome", "unchanged", "directory", standby.link().toString()));
  }

  private void tellFailure(Standby standby, IOException failure) {
    String reason = failure.getMessage() == null ? failure.toString() : failure.getMessage();
    String outcome = failure instanceof FetchException fetch ? fetch.reason().name() : "FAILED";
    tell(
        "%s stays as it is, and is tried again in %d s: %s"
            .formatted(standby.link(), everySeconds, reason),
        Map.of("outcome", outcome.toLowerCase(Locale.ROOT), "message", reason));
  }

  /** Says something, and how far behind the source the standby is. */
  private void tell(String line, Map<String, Object> facts) {
    double seconds = (System.nanoTime() - contactNanos) / 1e9;
    toldNanos = System.nanoTime();
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      Map<String, Object> row = new LinkedHashMap<>(facts);
      row.put("contactSeconds", seconds);
      if (lag.isKnown()) {
        row.put("lagBytes", lag.bytes());
        row.put("lagSeconds", lag.seconds());
      }
      out.println(JSON.std.asString(row));
    } else {
      String behind =
          lag.isKnown()
              ? "; the source had %,d bytes more, %.1f s old".formatted(lag.bytes(), lag.seconds())
              : "";
      String when = seconds < 1 ? "" : ", when it answered %.0f s ago".formatted(seconds);
      out.println("weir: " + line + behind + when);
    }
    out.flush();
  }
}
