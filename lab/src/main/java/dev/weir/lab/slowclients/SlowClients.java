package dev.weir.lab.slowclients;

import dev.weir.lab.child.ChildJvm;
import dev.weir.lab.child.ServiceFlags;
import dev.weir.lab.load.PacedDownload;
import dev.weir.lab.load.PacedUpload;
import dev.weir.lab.load.RandomBody;
import dev.weir.lab.load.SmallRequests;
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
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the clients against one allocator after another: each in a JVM of its own, the clients in
 * this one. Used by one thread.
 */
final class SlowClients {
  private static final Duration START_LIMIT = Duration.ofSeconds(30);
  private static final Duration SMALL_PERIOD = Duration.ofMillis(20);

  private static final int WARM_UPS_AT_ONCE = 16;
  private static final SlowClient WARM_UP = new SlowClient(10_000, 10_000_000);

  private final SlowClientsPlan plan;
  private final int warmUps;
  private final ProgressLine progress;
  private final RandomBody largest;
  private final Map<Long, RandomBody> bodies = new HashMap<>();

  /**
   * Will run the plan.
   *
   * @param warmUps so many small bodies go first: a service under load has been compiled
   */
  SlowClients(SlowClientsPlan plan, int warmUps, ProgressLine progress) {
    this.plan = plan;
    this.warmUps = warmUps;
    this.progress = progress;
    this.largest = new RandomBody(SlowClientsServer.BODY_SEED, plan.largeBytes());
    for (SlowClient client : plan.mix()) {
      bodies.computeIfAbsent(client.bytes(), largest::withLength);
    }
    bodies.computeIfAbsent(WARM_UP.bytes(), largest::withLength);
  }

  /**
   * Runs the clients against one allocator.
   *
   * @throws IOException if the process under test fails, other than in single requests
   */
  Map<String, @Nullable Object> run(Subject subject) throws IOException {
    try (ChildJvm server =
        ChildJvm.start(
            SlowClientsServer.class,
            ServiceFlags.within(plan.limitBytes()),
            List.of(subject.label(), JsonLines.line(plan.toMap())))) {
      Map<String, Object> ready = JsonLines.parse(server.receive(START_LIMIT));
      int port = ((Number) ready.getOrDefault("port", 0)).intValue();
      SocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);

      Map<String, @Nullable Object> row = new LinkedHashMap<>();
      row.put("scenario", "slow-clients");
      row.put("allocator", subject.label());
      row.put("direction", plan.direction().label());
      warmUp(address);
      SmallRequests small = SmallRequests.start(address, SMALL_PERIOD);
      long startNanos = System.nanoTime();
      Map<String, Integer> outcomes = serve(subject, requests(address));
      double seconds = (System.nanoTime() - startNanos) / 1e9;
      SmallRequests.Answers answers = small.stop();

      int ok = outcomes.getOrDefault("ok", 0);
      row.put("requests", requestCount());
      row.put("ok", ok);
      row.put("failed", requestCount() - ok);
      row.put("seconds", Math.round(seconds * 100) / 100.0);
      row.put("leastSeconds", plan.leastSeconds());
      answers.addTo(row);
      server.send(SlowClientsServer.FINISH);
      row.putAll(JsonLines.parse(server.receive(START_LIMIT)));
      outcomes.remove("ok");
      row.put("failures", outcomes);
      return row;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while the clients were at it");
    } finally {
      progress.clear();
    }
  }

  private int requestCount() {
    return plan.clients() * (plan.direction() == Direction.BOTH ? 2 : 1);
  }

  private List<Supplier<String>> requests(SocketAddress address) {
    return requests(address, plan.mix());
  }

  private List<Supplier<String>> requests(SocketAddress address, List<SlowClient> mix) {
    List<Supplier<String>> requests = new ArrayList<>();
    for (SlowClient client : mix) {
      RandomBody body = bodies.getOrDefault(client.bytes(), largest);
      if (plan.direction().uploads()) {
        requests.add(new PacedUpload(address, body, client.bytesPerSecond())::run);
      }
      if (plan.direction().downloads()) {
        requests.add(new PacedDownload(address, body, client.bytesPerSecond())::run);
      }
    }
    return requests;
  }

  private void warmUp(SocketAddress address) throws IOException, InterruptedException {
    Set<String> outcomes = ConcurrentHashMap.newKeySet();
    Queue<Supplier<String>> requests =
        new ConcurrentLinkedQueue<>(requests(address, Collections.nCopies(warmUps, WARM_UP)));
    List<Thread> clients = new ArrayList<>();
    for (int i = 0; i < WARM_UPS_AT_ONCE; i++) {
      clients.add(
          Thread.startVirtualThread(() -> {
            for (Supplier<String> next; (next = requests.poll()) != null; ) {
              outcomes.add(next.get());
            }
          }));
    }
    for (Thread client : clients) {
      client.join();
    }
    if (!Set.of("ok").containsAll(outcomes)) {
      throw new IOException("small requests before the run: " + outcomes);
    }
  }

  private Map<String, Integer> serve(Subject subject, List<Supplier<String>> requests)
      throws InterruptedException {
    ConcurrentLinkedQueue<String> outcomes = new ConcurrentLinkedQueue<>();
    List<Thread> clients = new ArrayList<>();
    for (Supplier<String> request : requests) {
      clients.add(Thread.startVirtualThread(() -> outcomes.add(request.get())));
    }
    try {
      for (Thread client : clients) {
        while (!client.join(Duration.ofMillis(200))) {
          showProgress(subject, outcomes);
        }
      }
    } catch (InterruptedException interrupted) {
      clients.forEach(Thread::interrupt);
      throw interrupted;
    }
    Map<String, Integer> counts = new TreeMap<>();
    outcomes.forEach(outcome -> counts.merge(outcome, 1, Integer::sum));
    return counts;
  }

  private void showProgress(Subject subject, ConcurrentLinkedQueue<String> outcomes) {
    long ok = outcomes.stream().filter("ok"::equals).count();
    int done = outcomes.size();
    String what = subject.label() + " " + plan.direction().label();
    progress.show(what, done, requestCount(), ok + " ok, " + (done - ok) + " failed");
  }
}
