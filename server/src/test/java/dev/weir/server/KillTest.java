package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a node with SIGKILL while clients append records of all sizes, restarts it, and looks for
 * every acknowledged one. {@code -Dweir.kill.rounds=100} makes it a long run.
 */
class KillTest {
  private static final int ROUNDS = Integer.getInteger("weir.kill.rounds", 3);
  private static final int CLIENTS = 4;
  private static final int STREAMS = 2;

  /** Acknowledged appends before the kill: enough for several batches, few enough to be quick. */
  private static final int APPENDS = 200;

  /** Record: length, client, number, then filler, then the CRC32C of all before. */
  private static final int HEADER_BYTES = 16;

  @TempDir Path data;

  private final HttpClient http = HttpClient.newHttpClient();
  private final List<Set<Long>> acknowledged = new ArrayList<>();

  /** Begins a process. */
  private interface Start {
    NodeProcess start(Path data) throws IOException;
  }

  /** Ends it. */
  private interface End {
    void end(NodeProcess node) throws IOException;
  }

  @Test
  void everyAcknowledgedRecordIsThereAfterAKill() throws Exception {
    everyAcknowledgedRecordIsThere(
        NodeProcess::new, node -> node.process.destroyForcibly(), /* exitCode= */ 128 + 9);
  }

  @Test
  void everyAcknowledgedRecordIsThereAfterTheHeapIsFull() throws Exception {
    everyAcknowledgedRecordIsThere(
        NodeProcess::withSmallHeap, NodeProcess::fillHeap, /* exitCode= */ 3);
  }

  private void everyAcknowledgedRecordIsThere(Start start, End end, int exitCode) throws Exception {
    for (int i = 0; i < STREAMS; i++) {
      acknowledged.add(Collections.synchronizedSet(new HashSet<>()));
    }
    AtomicLong numbers = new AtomicLong();
    for (int round = 0; round < ROUNDS; round++) {
      try (NodeProcess node = start.start(data)) {
        for (int i = 0; i < STREAMS; i++) {
          int status = send(node, "PUT", i, new byte[0]);
          assertThat(status).isEqualTo(round == 0 ? 201 : 200);
          check(node, i);
        }
        appendUntilItEnds(node, numbers, end);
        assertThat(node.process.waitFor()).isEqualTo(exitCode);
      }
    }
    try (NodeProcess node = start.start(data)) {
      for (int i = 0; i < STREAMS; i++) {
        check(node, i);
      }
    }
  }

  private void appendUntilItEnds(NodeProcess node, AtomicLong numbers, End end) throws Exception {
    long endAt = numbers.get() + APPENDS;
    try (ExecutorService clients = Executors.newFixedThreadPool(CLIENTS)) {
      List<Future<?>> running = new ArrayList<>();
      for (int client = 0; client < CLIENTS; client++) {
        running.add(
            clients.submit(() -> {
              appendUntilItFails(node, numbers, endAt, end);
              return null;
            }));
      }
      for (Future<?> client : running) {
        client.get();
      }
    }
  }

  private void appendUntilItFails(NodeProcess node, AtomicLong numbers, long endAt, End end)
      throws IOException, InterruptedException {
    while (true) {
      long number = numbers.incrementAndGet();
      if (number == endAt) {
        end.end(node);
      }
      int stream = (int) (number % STREAMS);
      try {
        if (send(node, "POST", stream, record(number)) != 204) {
          return;
        }
        acknowledged.get(stream).add(number);
      } catch (IOException e) {
        return;
      }
    }
  }

  private int send(NodeProcess node, String method, int stream, byte[] body)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(node.uri("/v1/stream/kill-" + stream))
            .header("Content-Type", "application/octet-stream")
            .method(method, HttpRequest.BodyPublishers.ofByteArray(body))
            .build();
    return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
  }

  /** Small ones that share a sync, and some that are spooled. */
  private static byte[] record(long number) {
    Random random = new Random(number);
    int filler = number % 10 == 0 ? 300_000 + random.nextInt(300_000) : random.nextInt(5_000);
    ByteBuffer record = ByteBuffer.allocate(HEADER_BYTES + filler + Integer.BYTES);
    record.putLong(filler).putLong(number);
    byte[] bytes = new byte[filler];
    random.nextBytes(bytes);
    record.put(bytes);
    CRC32C crc = new CRC32C();
    crc.update(record.array(), 0, record.position());
    return record.putInt((int) crc.getValue()).array();
  }

  /** The stream is a sequence of whole records, and has every acknowledged one exactly once. */
  private void check(NodeProcess node, int stream) throws Exception {
    HttpResponse<InputStream> response =
        http.send(
            HttpRequest.newBuilder(node.uri("/v1/stream/kill-" + stream)).build(),
            HttpResponse.BodyHandlers.ofInputStream());
    Set<Long> found = new HashSet<>();
    try (InputStream in = response.body()) {
      for (byte[] header = in.readNBytes(HEADER_BYTES);
          header.length > 0;
          header = in.readNBytes(HEADER_BYTES)) {
        assertThat(header).hasSize(HEADER_BYTES);
        ByteBuffer fields = ByteBuffer.wrap(header);
        int filler = (int) fields.getLong();
        long number = fields.getLong();
        byte[] expected = record(number);
        assertThat(expected.length).isEqualTo(HEADER_BYTES + filler + Integer.BYTES);
        byte[] rest = in.readNBytes(filler + Integer.BYTES);
        assertThat(Arrays.equals(rest, 0, rest.length, expected, HEADER_BYTES, expected.length))
            .as("record " + number)
            .isTrue();
        assertThat(found.add(number)).as("record " + number + " once").isTrue();
      }
    }
    assertThat(found).containsAll(acknowledged.get(stream));
  }
}
