package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Rounds of a node that comes to a sudden end under load. In each, clients go on where the last
 * round broke off: what was not answered is sent again by those that are idempotent producers.
 * After each start, every stream has to be what {@link KillClient} says.
 */
final class KillHarness implements AutoCloseable {
  private static final int STREAMS = 2;
  private static final int PRODUCERS = 3;
  private static final int PLAIN_CLIENTS = 1;

  /** Acknowledged appends before the end, at most: enough for several batches. */
  private static final int MAX_APPENDS = 300;

  /** One round in so many ends while the node starts, if it can. */
  private static final int EARLY_ROUND = 5;

  private static final int MAX_EARLY_MILLIS = 700;
  private static final int END_SECONDS = 60;

  /** How a node begins, and how it ends. */
  interface Ending {
    /** Starts one, and waits until it listens. */
    NodeProcess start() throws IOException;

    /** Starts one and does not wait; null where it cannot end before it listens. */
    default Process launch() throws IOException {
      return null;
    }

    /** Has it end at once. */
    void end(NodeProcess node) throws IOException;

    /** What its process exits with then. */
    int exitCode();
  }

  private final Ending ending;
  private final long seed;
  private final Random random;
  private final PrintWriter rounds;
  private final HttpClient http = HttpClient.newHttpClient();
  private final List<KillClient> clients = new ArrayList<>();

  KillHarness(Ending ending, long seed, Path record) throws IOException {
    this.ending = ending;
    this.seed = seed;
    this.random = new Random(seed);
    Files.createDirectories(record.getParent());
    this.rounds = new PrintWriter(Files.newBufferedWriter(record));
    for (int i = 0; i < PRODUCERS + PLAIN_CLIENTS; i++) {
      clients.add(new KillClient(http, i, "kill-" + i % STREAMS, i < PRODUCERS));
    }
  }

  /** Goes through so many ends, and looks at everything once more behind the last. */
  void run(int count) {
    try {
      runRounds(count);
    } catch (Exception | Error e) {
      throw new AssertionError("replay with -Dweir.test.seed=%d%n%s".formatted(seed, e), e);
    }
  }

  private void runRounds(int count) throws Exception {
    for (int round = 1; round <= count; round++) {
      if (round % EARLY_ROUND == 0 && endsEarly()) {
        write(round, "while it started");
        continue;
      }
      try (NodeProcess node = ending.start()) {
        create(node, round == 1);
        check(node);
        append(node, 1 + random.nextInt(MAX_APPENDS));
        assertThat(node.process.waitFor(END_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(node.process.exitValue()).isEqualTo(ending.exitCode());
      }
      write(round, "under load");
    }
    try (NodeProcess node = ending.start()) {
      check(node);
      for (KillClient client : clients) {
        client.sendPending(node);
      }
      check(node);
    }
  }

  private boolean endsEarly() throws Exception {
    Process process = ending.launch();
    if (process == null) {
      return false;
    }
    assertThat(process.waitFor(random.nextInt(MAX_EARLY_MILLIS), TimeUnit.MILLISECONDS)).isFalse();
    process.destroyForcibly();
    assertThat(process.waitFor()).isEqualTo(ending.exitCode());
    return true;
  }

  private void create(NodeProcess node, boolean isFirst) throws Exception {
    for (int i = 0; i < STREAMS; i++) {
      HttpRequest creation =
          HttpRequest.newBuilder(node.uri("/v1/stream/kill-" + i))
              .header("Content-Type", "application/octet-stream")
              .PUT(HttpRequest.BodyPublishers.noBody())
              .build();
      assertThat(http.send(creation, HttpResponse.BodyHandlers.discarding()).statusCode())
          .isEqualTo(isFirst ? 201 : 200);
    }
  }

  private void append(NodeProcess node, int appends) throws Exception {
    AtomicInteger left = new AtomicInteger(appends);
    try (ExecutorService threads = Executors.newFixedThreadPool(clients.size())) {
      List<Future<?>> running = new ArrayList<>();
      for (KillClient client : clients) {
        running.add(
            threads.submit(() -> {
              client.sendPending(node);
              while (client.append(node)) {
                if (left.decrementAndGet() == 0) {
                  ending.end(node);
                }
              }
              return null;
            }));
      }
      for (Future<?> client : running) {
        client.get();
      }
    }
    assertThat(left.get()).as("appends left when nothing was answered any more").isNotPositive();
  }

  private void check(NodeProcess node) throws Exception {
    for (int i = 0; i < STREAMS; i++) {
      String stream = "kill-" + i;
      List<KillClient> writers =
          clients.stream().filter(client -> client.stream().equals(stream)).toList();
      HttpResponse<InputStream> response =
          http.send(
              HttpRequest.newBuilder(node.uri("/v1/stream/" + stream)).build(),
              HttpResponse.BodyHandlers.ofInputStream());
      assertThat(response.statusCode()).isEqualTo(200);
      KillStream found = KillStream.read(response.body());
      for (KillClient writer : writers) {
        writer.check(found.numbersOf(writer.id()));
      }
      assertThat(found.clients()).isSubsetOf(writers.stream().map(KillClient::id).toList());
    }
  }

  private void write(int round, String ended) {
    rounds.printf(
        "{\"round\":%d,\"seed\":%d,\"ended\":\"%s\",\"acknowledged\":%d,\"sentAgain\":%d,"
            + "\"alreadyThere\":%d}%n",
        round,
        seed,
        ended,
        clients.stream().mapToLong(KillClient::acknowledged).sum(),
        clients.stream().mapToLong(KillClient::sentAgain).sum(),
        clients.stream().mapToLong(KillClient::alreadyThere).sum());
    rounds.flush();
  }

  @Override
  public void close() {
    rounds.close();
    http.close();
  }
}
