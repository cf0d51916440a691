package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.profile.LeakWatch;
import dev.weir.server.console.ConsoleAccess;
import dev.weir.server.http.Buffers;
import dev.weir.server.http.HttpLimits;
import dev.weir.server.http.Transport;
import dev.weir.streams.LocalDisk;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What knowing who holds memory costs the node's rate of requests: printed, not asserted. With
 * {@code -Dweir.test.long=true} for long enough to mean something.
 */
class RequestRateTest {
  private static final long BUDGET_BYTES = 64 << 20;
  private static final int CLIENTS = 2;
  private static final int AHEAD = 16;
  private static final boolean LONG = Boolean.getBoolean("weir.test.long");
  private static final long SLICE_NANOS = LONG ? 700_000_000 : 20_000_000;
  private static final int ROUNDS = LONG ? 11 : 1;

  /** What is switched on. */
  private enum Variant {
    BARE(/* budgets= */ false, 0),
    BUDGETS(/* budgets= */ true, 0),
    PROFILE(/* budgets= */ false, 512 << 10),
    BOTH(/* budgets= */ true, 512 << 10);

    private final boolean budgets;
    private final long bytesPerSample;

    Variant(boolean budgets, long bytesPerSample) {
      this.budgets = budgets;
      this.bytesPerSample = bytesPerSample;
    }

    NodeFixture start(Path directory) throws IOException {
      NodeParts parts =
          new NodeParts(
                  new LocalDisk(),
                  Transport.best(),
                  HttpLimits.forBudget(BUDGET_BYTES),
                  real -> budgets ? real : new Buffers(real.allocator(), real.admission()))
              .with(
                  new Node.ConsoleSettings(
                      ConsoleAccess.LOOPBACK,
                      Duration.ofMillis(500),
                      bytesPerSample,
                      LeakWatch.DEFAULT_THRESHOLD));
      return new NodeFixture(directory.resolve(name()), BUDGET_BYTES, parts);
    }
  }

  @TempDir Path directory;

  /** Asks for a stream again and again, several requests ahead of the answers. */
  private static final class Reader implements AutoCloseable {
    private final Socket socket;
    private final byte[] requests;
    private final byte[] answers;

    Reader(InetSocketAddress node, String stream, int bytes) throws IOException {
      String request = "GET /v1/stream/" + stream + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
      requests = request.repeat(AHEAD).getBytes(StandardCharsets.US_ASCII);
      int answerBytes;
      try (RawClient probe = new RawClient(node)) {
        RawClient.Response answer = probe.send(request).receive();
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body()).hasSize(bytes);
        answerBytes = answer.head().length() + bytes;
      }
      answers = new byte[AHEAD * answerBytes];
      socket = new Socket(node.getAddress(), node.getPort());
      socket.setTcpNoDelay(true);
    }

    /** Requests answered in a slice of time. */
    long read(long nanos) throws IOException {
      InputStream in = socket.getInputStream();
      long end = System.nanoTime() + nanos;
      long answered = 0;
      do {
        socket.getOutputStream().write(requests);
        if (in.readNBytes(answers, 0, answers.length) < answers.length) {
          throw new EOFException("the node ended the connection");
        }
        answered += AHEAD;
      } while (System.nanoTime() < end);
      assertThat(new String(answers, 0, 15, StandardCharsets.US_ASCII))
          .isEqualTo("HTTP/1.1 200 OK");
      return answered;
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  @Test
  void readsOfAKibibyte() throws Exception {
    measure(1 << 10);
  }

  @Test
  void readsOfALargePiece() throws Exception {
    measure(60_000);
  }

  private void measure(int bytes) throws Exception {
    Map<Variant, NodeFixture> nodes = new EnumMap<>(Variant.class);
    Map<Variant, double[]> rates = new EnumMap<>(Variant.class);
    for (Variant variant : Variant.values()) {
      NodeFixture node = variant.start(directory);
      nodes.put(variant, node);
      rates.put(variant, new double[ROUNDS]);
      assertThat(node.send("PUT", "s", "text/plain", "s".repeat(bytes)).statusCode())
          .isEqualTo(201);
    }
    try (ExecutorService threads = Executors.newFixedThreadPool(CLIENTS)) {
      for (int round = LONG ? -3 : 0; round < ROUNDS; round++) {
        for (Variant variant : Variant.values()) {
          double rate = rate(threads, nodes.get(variant).node.address(), bytes);
          if (round >= 0) {
            rates.get(variant)[round] = rate;
          }
        }
      }
    }
    double[] bare = rates.get(Variant.BARE);
    rates.forEach((variant, each) -> {
      double[] shares = new double[ROUNDS];
      for (int round = 0; round < ROUNDS; round++) {
        shares[round] = each[round] / bare[round];
      }
      System.out.printf(
          "reads of %,d bytes, %s: %,.0f a second, %.3f times bare (quartiles %.3f to %.3f)%n",
          bytes,
          variant,
          quantile(each, 0.5),
          quantile(shares, 0.5),
          quantile(shares, 0.25),
          quantile(shares, 0.75));
    });
    for (NodeFixture node : nodes.values()) {
      node.http.close();
      node.assertNothingLeaked();
      node.close();
    }
  }

  private static double rate(ExecutorService threads, InetSocketAddress node, int bytes)
      throws Exception {
    List<Callable<Long>> clients = new ArrayList<>();
    List<Reader> readers = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      Reader reader = new Reader(node, "s", bytes);
      readers.add(reader);
      clients.add(() -> reader.read(SLICE_NANOS));
    }
    long start = System.nanoTime();
    long answered = 0;
    for (Future<Long> each : threads.invokeAll(clients)) {
      answered += each.get();
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    for (Reader reader : readers) {
      reader.close();
    }
    return answered / seconds;
  }

  private static double quantile(double[] values, double at) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[(int) (at * (sorted.length - 1))];
  }
}
