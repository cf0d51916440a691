package dev.weir.benchmarks.harness;

import dev.weir.benchmarks.peer.Peer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One thing to measure for every peer: a row of the tables.
 *
 * @param suite the suite it belongs to
 * @param benchmark the JMH benchmark: a class and one of its methods, joined by a dot
 * @param parameters what is varied, by name: JMH parameters of the benchmark, and columns
 * @param thread on which threads
 * @param threads how many of them
 * @param leakDetection the level of Netty's leak detector
 */
public record Cell(
    String suite,
    String benchmark,
    Map<String, String> parameters,
    ThreadKind thread,
    int threads,
    LeakDetection leakDetection) {

  /** Whether measuring {@code peer} here says something that another peer or cell does not. */
  public boolean isFor(Peer peer) {
    boolean tellsMore = !peer.isForOtherThreads() || thread != ThreadKind.EVENT_LOOP;
    boolean obeysTheLevel = peer.isTracked() || leakDetection == LeakDetection.DISABLED;
    return tellsMore && obeysTheLevel;
  }

  /** Those of {@code peers} that {@link #isFor} admits. */
  public List<Peer> admitted(List<Peer> peers) {
    return peers.stream().filter(this::isFor).toList();
  }

  /** One of the parameters; an empty text if it has none of this name. */
  public String parameter(String name) {
    return parameters.getOrDefault(name, "");
  }

  /** The same with one more parameter. */
  public Cell with(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(parameters);
    more.put(name, value);
    return new Cell(suite, benchmark, more, thread, threads, leakDetection);
  }

  /** How many threads of which kind, as people read it. */
  public String threadsText() {
    return (threads == 1 ? "" : threads + " ") + thread.label();
  }

  /** How many cores the threads can keep busy on this machine. */
  int cores() {
    return Math.min(threads, Runtime.getRuntime().availableProcessors());
  }
}
