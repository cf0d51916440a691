package dev.weir.lab.replicate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Measures one line: both sides are started, copy once to warm up, whose result is compared with
 * the source, and then as the load says.
 */
final class CopyRun {
  private static final double GIB = 1 << 30;

  private CopyRun() {}

  static Map<String, @Nullable Object> measure(CopyPlan plan, CopyPlan.Load load, int round)
      throws IOException {
    try (CopySides sides = CopySides.start(plan, load)) {
      warmUp(sides.receiver(), load);
      double senderCpu = sides.sender().cpuSeconds();
      double receiverCpu = sides.receiver().cpuSeconds();
      CopyOutcome outcome =
          plan.peer().isC()
              ? CopyOutcome.ofEach(sides.receiver(), load)
              : CopyOutcome.ofLoop(sides.receiver(), _ -> {});
      Map<String, @Nullable Object> row = head(plan, load);
      row.put("round", round);
      row.putAll(outcome.row(load.bytes()));
      double gib = load.bytes() * outcome.nanos().size() / GIB;
      row.put("senderCpuSecondsPerGib", share(sides.sender().cpuSeconds() - senderCpu, gib));
      row.put("receiverCpuSecondsPerGib", share(sides.receiver().cpuSeconds() - receiverCpu, gib));
      row.putAll(sides.figures());
      return row;
    } finally {
      Folders.delete(load.target());
    }
  }

  private static @Nullable Double share(double seconds, double gib) {
    return gib == 0 ? null : seconds / gib;
  }

  /** A copy that is not measured: its bytes are compared, unless it fails as the others will. */
  private static void warmUp(CopyProcess receiver, CopyPlan.Load load) throws IOException {
    Files.createDirectories(load.first());
    receiver.say("copy");
    if (receiver.next("done ", "failed ").getFirst().equals("done")) {
      requireSame(load);
    }
    Folders.deleteFiles(load.first());
  }

  /** Each file of the copy is that of the source: of one file where a peer copies only one. */
  private static void requireSame(CopyPlan.Load load) throws IOException {
    Path one = load.first().resolve("copy");
    if (Files.exists(one)) {
      requireSame(load.container().resolve("0"), one);
      return;
    }
    Path named = load.first().resolve(SenderMain.NAME);
    Path copies = Files.exists(named) ? named : load.first();
    try (Stream<Path> files = Files.list(load.container())) {
      for (Path file : (Iterable<Path>) files::iterator) {
        requireSame(file, copies.resolve(String.valueOf(file.getFileName())));
      }
    }
  }

  private static void requireSame(Path source, Path copy) throws IOException {
    if (Files.mismatch(source, copy) != -1) {
      throw new IOException(copy + " is not what was copied");
    }
  }

  /** What a row says of what ran. */
  static Map<String, @Nullable Object> head(CopyPlan plan, CopyPlan.Load load) {
    CopyLoad copies = load.copies();
    Map<String, @Nullable Object> row = new LinkedHashMap<>();
    row.put("peer", plan.peer().label());
    row.put("protocol", plan.protocol());
    row.put("connections", plan.connections());
    row.put("verified", plan.peer().verifies());
    row.put("files", load.files());
    row.put("bytes", load.bytes());
    row.put("copies", copies.containers());
    row.put("threads", copies.threads());
    row.put("arrivalsPerSecond", copies.arrivalsPerSecond());
    row.put("rateBytes", copies.rateBytes());
    row.put("directBytes", copies.directBytes());
    row.put("budgetBytes", copies.budgetBytes());
    return row;
  }
}
