package dev.weir.lab.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.LabCommand;
import dev.weir.lab.report.JsonLines;
import dev.weir.lab.trace.SlotNumbers;
import dev.weir.lab.trace.TracePhase;
import dev.weir.lab.trace.TraceTotals;
import dev.weir.lab.trace.TraceWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ThreadedReplayTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir Path folder;

  @Test
  void eachThreadPlaysItsEventsWithinEachBudgetAndNothingIsLost() throws IOException {
    long seed = Long.getLong("weir.test.seed", System.nanoTime());
    Path trace = folder.resolve("threads.trace");
    TraceTotals totals = write(trace, seed);
    Path json = folder.resolve("rows.jsonl");
    int exit =
        replay(
            trace.toString(),
            "--threads",
            "recorded",
            "--budget",
            "1.5x,64M",
            "--allocators",
            "weir,glibc",
            "--json",
            json.toString());
    assertThat(exit).as("-Dweir.test.seed=%d: %s%s", seed, out, err).isZero();
    List<Map<String, Object>> rows =
        Files.readAllLines(json).stream().map(JsonLines::parse).toList();
    assertThat(rows).extracting("allocator").containsExactly("weir", "weir");
    assertThat(rows).extracting("threads").containsOnly(totals.threads());
    assertThat(rows)
        .as("-Dweir.test.seed=%d", seed)
        .extracting("allocations")
        .containsOnly((int) (totals.allocations() + totals.growths()));
    assertThat(rows.getFirst())
        .containsEntry("refusals", 0)
        .containsKeys("waitSeconds", "gcMillis");
    assertThat(rows.getFirst().get("budgetBytes"))
        .isEqualTo((int) (Math.round(1.5 * totals.peakLiveBytes()) + (4 << 20)));
    assertThat(rows).extracting("boundBytes").doesNotContainNull();
    assertThat(out.toString()).contains("glibc is left out: it is replayed on one thread only");
  }

  @Test
  void recordedTimeIsNotShortened() throws IOException {
    Path trace = folder.resolve("slow.trace");
    try (TraceWriter writer = TraceWriter.create(trace)) {
      writer.allocate(0, 100);
      writer.pause(999);
      writer.pause(3_000_000);
      writer.release(0);
      writer.finish();
    }
    assertThat(micros(trace, ReplayTime.RECORDED)).isEqualTo(3_000_999);
    assertThat(micros(trace, ReplayTime.COMPRESSED)).isEqualTo(2_000_000);
  }

  private static long micros(Path trace, ReplayTime time) throws IOException {
    try (var source = dev.weir.lab.trace.TraceReader.open(trace)) {
      LoadedTrace loaded = LoadedTrace.of(source, time);
      return loaded.micros(loaded.events() - 1);
    }
  }

  @Test
  void flagsThatDoNotFitAreRefused() throws IOException {
    Path trace = folder.resolve("threads.trace");
    write(trace, 1);
    for (String[] flags :
        new String[][] {
          {"--threads", "many"}, {"--time", "recorded"}, {"--time", "soon"}, {"--budget", "0.5x"}
        }) {
      err.getBuffer().setLength(0);
      assertThat(replay(trace.toString(), flags[0], flags[1]))
          .isEqualTo(CommandLine.ExitCode.USAGE);
      assertThat(err.toString().lines().findFirst().orElseThrow()).contains(flags[0]);
    }
  }

  private static TraceTotals write(Path file, long seed) throws IOException {
    Random random = new Random(seed);
    SlotNumbers slots = new SlotNumbers();
    List<Integer> live = new ArrayList<>();
    try (TraceWriter writer = TraceWriter.create(file)) {
      writer.phase(new TracePhase("older", TracePhase.Kind.OLDER));
      for (int i = 0; i < 10; i++) {
        live.add(slots.take());
        writer.allocate(live.getLast(), 10_000);
      }
      writer.phase(new TracePhase("recorded", TracePhase.Kind.COUNTED));
      for (int i = 0; i < 20_000; i++) {
        writer.thread(random.nextInt(4));
        int lot = random.nextInt(100);
        if (lot < 5 && !live.isEmpty()) {
          writer.grow(live.get(random.nextInt(live.size())), 1 + random.nextInt(60_000));
        } else if (live.size() < 200 && (lot < 53 || live.isEmpty())) {
          live.add(slots.take());
          writer.allocate(live.getLast(), 1 + random.nextInt(30_000));
        } else {
          int slot = live.remove(random.nextInt(live.size()));
          slots.tryGive(slot);
          writer.release(slot);
        }
      }
      return writer.finish();
    }
  }

  private int replay(String... flags) {
    String[] arguments = new String[flags.length + 1];
    arguments[0] = "replay";
    System.arraycopy(flags, 0, arguments, 1, flags.length);
    return new CommandLine(new LabCommand())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }
}
