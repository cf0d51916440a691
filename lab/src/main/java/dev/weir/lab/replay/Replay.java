package dev.weir.lab.replay;

import dev.weir.lab.child.ChildJvm;
import dev.weir.lab.contender.Contender;
import dev.weir.lab.peer.Jdk;
import dev.weir.lab.report.JsonLines;
import dev.weir.lab.report.ProgressLine;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Replays one trace against one allocator after another. Used by one thread. */
final class Replay {
  /** The longest time without a word from the process under test. */
  private static final Duration SILENCE_LIMIT = Duration.ofMinutes(2);

  /**
   * jemalloc needs room among the thread-local variables that a library brings along; the C library
   * keeps less than that free for libraries that are loaded late.
   */
  private static final Map<String, String> ENVIRONMENT =
      Map.of("GLIBC_TUNABLES", "glibc.rtld.optional_static_tls=16384");

  /** What blocks in the Java heap get where no budget is set. */
  private static final long MAX_HEAP = 2L << 30;

  /** What a trace gets that is held whole. */
  private static final long LOADED_HEAP = 512L << 20;

  /** For a process whose time is not looked at: the compiler takes less than it would give. */
  private static final String QUICK_START = "-XX:TieredStopAtLevel=1";

  private final ReplayPlan plan;
  private final Optional<Jdk> oldJdk;
  private final ProgressLine progress;

  /**
   * Replays of one plan.
   *
   * @param oldJdk the Java for old versions of Netty, if one was named
   */
  Replay(ReplayPlan plan, Optional<Jdk> oldJdk, ProgressLine progress) {
    this.plan = plan;
    this.oldJdk = oldJdk;
    this.progress = progress;
  }

  /**
   * Replays against one allocator.
   *
   * @throws IOException if the trace cannot be read, or the process under test fails
   */
  ReplayOutcome run(ReplaySubject subject) throws IOException {
    return switch (subject) {
      case ReplaySubject.Own own -> run(own.label(), own.contender(), "");
      case ReplaySubject.WhatIf other ->
          run(other.label(), Contender.WEIR, other.settings().text());
      case ReplaySubject.Peer peer ->
          plan.onRecordedThreads()
              ? oneThreadOnly(peer.label())
              : new PeerReplay(plan, peer.peer(), progress).run(oldJdk);
    };
  }

  private static ReplayOutcome oneThreadOnly(String label) {
    return ReplayOutcome.missing(label, "it is replayed on one thread only");
  }

  private ReplayOutcome run(String label, Contender contender, String settings) throws IOException {
    if (plan.onRecordedThreads() && !contender.isBuffers()) {
      return oneThreadOnly(label);
    }
    try (ChildJvm child = start(jvmFlags(contender), List.of(contender.label(), settings))) {
      return next(child, label);
    } finally {
      progress.clear();
    }
  }

  /**
   * Replays against several at once, in one JVM: for what each of them counts itself. What the
   * process takes, and time, are those of all.
   *
   * @throws IOException if the trace cannot be read, or the process under test fails
   */
  List<ReplayOutcome> runAtOnce(List<ReplaySubject.WhatIf> ofWeir, List<Contender> others)
      throws IOException {
    List<String> labels = new ArrayList<>();
    List<String> arguments = new ArrayList<>();
    for (ReplaySubject.WhatIf other : ofWeir) {
      labels.add(other.label());
      arguments.addAll(List.of(Contender.WEIR.label(), other.settings().text()));
    }
    for (Contender other : others) {
      labels.add(other.label());
      arguments.addAll(List.of(other.label(), ""));
    }
    List<ReplayOutcome> outcomes = new ArrayList<>();
    List<String> flags = new ArrayList<>(jvmFlags(Contender.WEIR));
    flags.add(QUICK_START);
    try (ChildJvm child = start(flags, arguments)) {
      for (String label : labels) {
        outcomes.add(next(child, label));
      }
    } finally {
      progress.clear();
    }
    return outcomes;
  }

  private ChildJvm start(List<String> flags, List<String> contenders) throws IOException {
    List<String> arguments = new ArrayList<>(List.of(JsonLines.line(plan.toMap())));
    arguments.addAll(contenders);
    return ChildJvm.start(ReplayChild.class, flags, arguments, ENVIRONMENT);
  }

  /** What the child says of the next contender. */
  private ReplayOutcome next(ChildJvm child, String label) throws IOException {
    progress.show(label, 0, 100, plan.trace());
    while (true) {
      Map<String, Object> said = JsonLines.parse(child.receive(SILENCE_LIMIT));
      if (said.get(ReplayChild.PROGRESS) instanceof Number share) {
        progress.show(label, (int) (share.doubleValue() * 100), 100, plan.trace());
      } else if (said.get(ReplayChild.MISSING) instanceof String reason) {
        return ReplayOutcome.missing(label, reason);
      } else if (said.get(ReplayChild.FAILED) instanceof String reason) {
        throw new IOException(label + ": " + reason);
      } else {
        return ReplayOutcome.of(label, row(label, said), said);
      }
    }
  }

  /** With the same heap for all, and twice the budget beside it where the blocks are in it. */
  private List<String> jvmFlags(Contender contender) {
    long loaded = plan.onRecordedThreads() ? LOADED_HEAP : 0;
    long blockBytes = contender.isHeap() ? Math.min(2 * plan.directMemoryBytes(), MAX_HEAP) : 0;
    String heap = String.valueOf((256L << 20) + blockBytes + loaded);
    return List.of(
        "--enable-native-access=ALL-UNNAMED",
        "-XX:+UseSerialGC",
        "-Xms" + heap,
        "-Xmx" + heap,
        "-XX:+AlwaysPreTouch",
        "-XX:MaxDirectMemorySize=" + plan.directMemoryBytes(),
        "-Dio.netty.maxDirectMemory=" + plan.directMemoryBytes(),
        "-Dio.netty.leakDetection.level=disabled");
  }

  private Map<String, @Nullable Object> row(String label, Map<String, Object> said) {
    Map<String, @Nullable Object> row = plan.rowOf(label);
    if (said.get(ReplayChild.FIGURES) instanceof Map<?, ?> figures) {
      figures.forEach((name, figure) -> row.put(String.valueOf(name), figure));
    }
    row.put(ReplayChild.PEAK_EXCESS, said.get(ReplayChild.PEAK_EXCESS));
    row.put(ReplayChild.SAMPLES, said.get(ReplayChild.SAMPLES));
    row.put(ReplayChild.PHASES, said.get(ReplayChild.PHASES));
    return row;
  }
}
