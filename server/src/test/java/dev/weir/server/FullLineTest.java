package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.HttpLimits;
import dev.weir.server.http.Transport;
import dev.weir.streams.LocalDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A client of HTTP/2 uploads while its line is full of another stream's answer, which it takes
 * slowly: what lets it send on comes behind that, long after the limit.
 */
@Timeout(120)
class FullLineTest {
  private static final Duration NEVER = Duration.ofDays(1);
  private static final Duration LIMIT = Duration.ofSeconds(1);

  /** Each limit has a read, and all that is queued takes three of them: almost two limits. */
  private static final long BEFORE_READS_NANOS = LIMIT.toNanos() / 10 * 6;

  /** Of what the kernel has queued: it lets a process write again when some third is free. */
  private static final double READ_AT_ONCE = 0.42;

  private static final int DOWNLOAD_BYTES = 24 << 20;
  private static final int WINDOW_BYTES = 1 << 30;
  private static final int RECEIVE_BUFFER_BYTES = 128 << 10;

  /** All that a stream may send before it has heard of more. */
  private static final byte[] FIRST = new byte[64 << 10];

  private static final int STABLE_TIMES = 20;

  @TempDir Path directory;
  private NodeFixture fixture;

  private void start(Transport transport) throws Exception {
    HttpLimits limits = new HttpLimits(16, 1 << 30, 8 << 20, NEVER, LIMIT, NEVER, NEVER, NEVER);
    NodeParts parts = new NodeParts(new LocalDisk(), transport, limits);
    fixture = new NodeFixture(directory, NodeFixture.BUDGET_BYTES, parts);
    fixture.send("PUT", "up", "text/plain", "");
    fixture.send("PUT", "down", "text/plain", "z".repeat(DOWNLOAD_BYTES));
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    fixture.endWithNothingLeft();
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

    private long awaitFullQueue() throws IOException {
      AtomicLong queued = new AtomicLong();
      AtomicInteger times = new AtomicInteger();
      NodeFixture.await(
          "what the kernel has queued stays as it is",
          () -> {
            long now = queuedBytes();
            boolean isSame = queued.getAndSet(now) == now && now > 0;
            return (isSame ? times.incrementAndGet() : times.getAndSet(0)) > STABLE_TIMES;
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
        LockSupport.parkNanos(BEFORE_READS_NANOS);
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
    start(transport);
    // One that the machine holds up comes again.
    NodeFixture.await("an upload that is taken", this::isTaken);
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
    start(Transport.best());
    NodeFixture.await("the upload has ended, and the download has not", this::isEnded);
  }

  private boolean isEnded() throws IOException {
    try (SlowReader reader = new SlowReader()) {
      reader.send(new byte[1]);
      reader.readUntil(reader::isAnswered);
      assertThat(reader.client.response(reader.upload).status()).isEqualTo(408);
      return !reader.client.response(reader.download).isOver();
    }
  }
}
