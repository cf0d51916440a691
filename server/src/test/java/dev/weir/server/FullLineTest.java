package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.HttpLimits;
import dev.weir.server.http.Transport;
import dev.weir.streams.LocalDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A client of HTTP/2 uploads while its line is full of another stream's answer, which it takes
 * slowly: what lets it send on comes behind that, long after the limit.
 */
@Timeout(300)
class FullLineTest {
  private static final Duration NEVER = Duration.ofDays(1);

  /** A client that the machine holds up comes again, to a node that gives it twice the time. */
  private static final int[] LIMITS_MILLIS = {1_000, 2_000, 4_000, 8_000};

  /** Of what the kernel has queued: it lets a process write again when some third is free. */
  private static final double READ_AT_ONCE = 0.42;

  private static final int DOWNLOAD_BYTES = 24 << 20;
  private static final int WINDOW_BYTES = 1 << 30;
  private static final int RECEIVE_BUFFER_BYTES = 128 << 10;

  /** All that a stream may send before it has heard of more. */
  private static final byte[] FIRST = new byte[64 << 10];

  @TempDir Path directory;
  private Duration limit;
  private NodeFixture fixture;

  private interface Attempt {
    boolean succeeds() throws IOException;
  }

  private void assertSucceeds(Transport transport, Attempt attempt) throws Exception {
    boolean succeeds = false;
    for (int i = 0; !succeeds && i < LIMITS_MILLIS.length; i++) {
      limit = Duration.ofMillis(LIMITS_MILLIS[i]);
      start(transport, directory.resolve(limit.toString()));
      succeeds = attempt.succeeds();
      fixture.endWithNothingLeft();
    }
    assertThat(succeeds).as("with a limit of %s at last", limit).isTrue();
  }

  private void start(Transport transport, Path data) throws Exception {
    HttpLimits limits = new HttpLimits(16, 1 << 30, 8 << 20, NEVER, limit, NEVER, NEVER, NEVER);
    NodeParts parts = new NodeParts(new LocalDisk(), transport, limits);
    fixture = new NodeFixture(data, NodeFixture.BUDGET_BYTES, parts);
    fixture.send("PUT", "up", "text/plain", "");
    fixture.send("PUT", "down", "text/plain", "z".repeat(DOWNLOAD_BYTES));
  }

  /** A client whose line is full. */
  private final class SlowReader implements AutoCloseable {
    private final Http2Client client = fixture.http2(WINDOW_BYTES, RECEIVE_BUFFER_BYTES);
    private final int download;
    private final int upload;
    private final long atOnceBytes;

    SlowReader() throws IOException {
      client.stopOpeningWindows();
      // Both sides know each other's windows by then.
      client.roundTrip();
      download = client.request(/* last= */ true, "GET", "/v1/stream/down");
      // The download's limit is not to be over before the first read: so there is one now.
      read(awaitFullQueue() / 2, () -> false);
      atOnceBytes = (long) (READ_AT_ONCE * awaitFullQueue());
      upload =
          client.request(/* last= */ false, "POST", "/v1/stream/up", "content-type", "text/plain");
    }

    /** The node may be held up too: what stays the same for a tenth of the limit is full. */
    private long awaitFullQueue() throws IOException {
      AtomicLong queued = new AtomicLong();
      AtomicLong sinceNanos = new AtomicLong(System.nanoTime());
      NodeFixture.await(
          "what the kernel has queued stays as it is",
          () -> {
            long now = queuedBytes();
            long nanos = System.nanoTime();
            if (queued.getAndSet(now) != now || now == 0) {
              sinceNanos.set(nanos);
            }
            return nanos - sinceNanos.get() > limit.toNanos() / 10;
          });
      return queued.get();
    }

    private long queuedBytes() throws IOException {
      return KernelSockets.queuedBytes(port(), client.localPort());
    }

    private int port() {
      return fixture.node.address().getPort();
    }

    void send(byte[] bytes) throws IOException {
      client.data(upload, bytes, /* last= */ false);
      NodeFixture.await("all is read", () -> KernelSockets.isAllRead(port(), client.localPort()));
    }

    /** Reads at intervals, and no more than has to be read. */
    void readUntil(NodeFixture.Condition enough) throws IOException {
      while (!enough.holds()) {
        // Each limit has a read, and all that is queued takes three of them: almost two limits.
        LockSupport.parkNanos(limit.toNanos() / 10 * 6);
        read(atOnceBytes, enough);
      }
    }

    private void read(long bytes, NodeFixture.Condition enough) throws IOException {
      Http2Client.Response response = client.response(download);
      long until = response.body.size() + bytes;
      while (!enough.holds() && response.body.size() < until) {
        client.receive();
      }
    }

    boolean isAnswered() {
      return client.response(upload).isOver();
    }

    @Override
    public void close() throws IOException {
      client.close();
    }
  }

  @ParameterizedTest
  @MethodSource("dev.weir.server.HalfCloseTest#transports")
  void anUploadGoesOnWhenItsClientHasHeardThatItMay(Transport transport) throws Exception {
    assertSucceeds(transport, this::isTaken);
  }

  private boolean isTaken() throws IOException {
    try (SlowReader reader = new SlowReader()) {
      reader.send(FIRST);
      int none = reader.client.window(reader.upload);
      reader.readUntil(() -> reader.client.window(reader.upload) > none || reader.isAnswered());
      if (!reader.isAnswered()) {
        reader.client.data(reader.upload, new byte[1], /* last= */ true);
        reader.client.await(reader.upload);
      }
      return reader.client.response(reader.upload).status() == 204;
    }
  }

  @Test
  void anUploadThatMayGoOnAndDoesNotIsEnded() throws Exception {
    assertSucceeds(Transport.best(), this::isEnded);
  }

  /** Whether the upload has ended, and the download has not. */
  private boolean isEnded() throws IOException {
    try (SlowReader reader = new SlowReader()) {
      reader.send(new byte[1]);
      reader.readUntil(reader::isAnswered);
      assertThat(reader.client.response(reader.upload).status()).isEqualTo(408);
      return !reader.client.response(reader.download).isOver();
    }
  }
}
