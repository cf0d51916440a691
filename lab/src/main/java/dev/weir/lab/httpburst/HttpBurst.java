package dev.weir.lab.httpburst;

import dev.weir.lab.child.ChildJvm;
import dev.weir.lab.child.ServiceFlags;
import dev.weir.lab.load.PacedUpload;
import dev.weir.lab.load.RandomBody;
import dev.weir.lab.report.JsonLines;
import dev.weir.lab.report.ProgressLine;
import dev.weir.lab.subject.Subject;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Runs the burst against one allocator after another: each in a JVM of its own, the clients in this
 * one. Used by one thread.
 */
final class HttpBurst {
  private static final Duration START_LIMIT = Duration.ofSeconds(30);

  /** A few, so that bytes which end up in the wrong body are noticed. */
  private static final int DISTINCT_BODIES = 4;

  private final HttpBurstPlan plan;
  private final ProgressLine progress;
  private final List<RandomBody> bodies = new ArrayList<>();

  HttpBurst(HttpBurstPlan plan, ProgressLine progress) {
    this.plan = plan;
    this.progress = progress;
    for (int seed = 0; seed < DISTINCT_BODIES; seed++) {
      bodies.add(new RandomBody(seed, plan.bodyBytes()));
    }
  }

  /**
   * Runs the burst against one allocator.
   *
   * @throws IOException if the process under test fails, other than in single requests
   */
  Map<String, @Nullable Object> run(Subject subject) throws IOException {
    try (ChildJvm server =
        ChildJvm.start(
            HttpBurstServer.class,
            ServiceFlags.within(plan.limitBytes()),
            List.of(subject.label(), JsonLines.line(plan.toMap())))) {
      Map<String, Object> ready = JsonLines.parse(server.receive(START_LIMIT));
      int port = ((Number) ready.getOrDefault("port", 0)).intValue();
      SocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);

      long startNanos = System.nanoTime();
      Map<String, Integer> outcomes = upload(subject, address);
      double seconds = (System.nanoTime() - startNanos) / 1e9;

      server.send(HttpBurstServer.FINISH);
      Duration limit = START_LIMIT.plusMillis(plan.idleMillis());
      return row(subject, outcomes, seconds, JsonLines.parse(server.receive(limit)));
    } finally {
      progress.clear();
    }
  }

  private Map<String, Integer> upload(Subject subject, SocketAddress address)
      throws InterruptedIOException {
    ConcurrentLinkedQueue<String> outcomes = new ConcurrentLinkedQueue<>();
    AtomicInteger next = new AtomicInteger();
    List<Thread> clients = new ArrayList<>();
    for (int client = 0; client < plan.atOnce(); client++) {
      clients.add(
          Thread.startVirtualThread(() -> {
            for (int i = next.getAndIncrement(); i < plan.uploads(); i = next.getAndIncrement()) {
              RandomBody body = bodies.get(i % bodies.size());
              outcomes.add(new PacedUpload(address, body, plan.bytesPerSecond()).run());
            }
          }));
    }
    try {
      for (Thread client : clients) {
        while (!client.join(Duration.ofMillis(200))) {
          showProgress(subject, outcomes);
        }
      }
    } catch (InterruptedException interrupted) {
      clients.forEach(Thread::interrupt);
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted during the burst");
    }
    Map<String, Integer> counts = new TreeMap<>();
    outcomes.forEach(outcome -> counts.merge(outcome, 1, Integer::sum));
    return counts;
  }

  private void showProgress(Subject subject, ConcurrentLinkedQueue<String> outcomes) {
    long ok = outcomes.stream().filter("ok"::equals).count();
    int done = outcomes.size();
    progress.show(subject.label(), done, plan.uploads(), ok + " ok, " + (done - ok) + " failed");
  }

  private Map<String, @Nullable Object> row(
      Subject subject,
      Map<String, Integer> outcomes,
      double seconds,
      Map<String, Object> measured) {
    int ok = outcomes.getOrDefault("ok", 0);
    Map<String, @Nullable Object> row = new LinkedHashMap<>();
    row.put("scenario", "http-burst");
    row.put("allocator", subject.label());
    row.put("requests", plan.uploads());
    row.put("ok", ok);
    row.put("failed", plan.uploads() - ok);
    row.put("seconds", Math.round(seconds * 100) / 100.0);
    row.putAll(measured);
    outcomes.remove("ok");
    row.put("failures", outcomes);
    return row;
  }
}
