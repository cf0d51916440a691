package dev.weir.lab.load;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A small upload every so often on one connection that stays, and how long each answer took. A
 * request that is due while the one before is still out counts from when it was due. Runs on a
 * platform thread of its own from {@link #start} to {@link #stop}.
 */
public final class SmallRequests {
  private static final int BODY_BYTES = 256;
  private static final int MAX_ANSWER_BYTES = 8 * 1024;

  /** Where the server answers at once. */
  public static final String PATH = "/small";

  private final SocketAddress server;
  private final long periodNanos;
  private final byte[] request;
  private final Thread thread;
  private volatile boolean stopping;
  private volatile @Nullable SocketChannel connection;

  // Of the thread, until it has ended.
  private long[] nanos = new long[1024];
  private int answered;
  private int lost;

  private SmallRequests(SocketAddress server, Duration period) {
    this.server = server;
    this.periodNanos = period.toNanos();
    String text =
        "POST %s HTTP/1.1\r\nHost: lab\r\nContent-Length: %d\r\n\r\n%s"
            .formatted(PATH, BODY_BYTES, "x".repeat(BODY_BYTES));
    this.request = text.getBytes(US_ASCII);
    this.thread = Thread.ofPlatform().name("small-requests").daemon().unstarted(this::run);
  }

  /** What came of them. */
  public record Answers(
      int answered, int lost, double p50Millis, double p99Millis, double maxMillis) {
    /** As the fields of a row. */
    public void addTo(Map<String, @Nullable Object> row) {
      row.put("smallAnswered", answered);
      row.put("smallLost", lost);
      row.put("smallP50Millis", p50Millis);
      row.put("smallP99Millis", p99Millis);
      row.put("smallMaxMillis", maxMillis);
    }
  }

  /**
   * Opens the connection, and starts sending one every {@code period}.
   *
   * @throws IOException if the first is not answered
   */
  public static SmallRequests start(SocketAddress server, Duration period) throws IOException {
    SmallRequests requests = new SmallRequests(server, period);
    requests.exchange(ByteBuffer.allocate(MAX_ANSWER_BYTES));
    requests.thread.start();
    return requests;
  }

  /**
   * Stops sending.
   *
   * @throws IOException if the connection cannot be closed
   * @throws InterruptedException if this thread is to end at once
   */
  public Answers stop() throws IOException, InterruptedException {
    stopping = true;
    LockSupport.unpark(thread);
    if (!thread.join(Duration.ofSeconds(1))) {
      close();
      thread.join();
    }
    Arrays.sort(nanos, 0, answered);
    return new Answers(answered, lost, millis(0.5), millis(0.99), millis(1));
  }

  private double millis(double share) {
    if (answered == 0) {
      return Double.NaN;
    }
    int rank = (int) Math.ceil(share * answered);
    return Math.round(nanos[Math.clamp(rank - 1, 0, answered - 1)] / 1e4) / 100.0;
  }

  private void run() {
    ByteBuffer answer = ByteBuffer.allocate(MAX_ANSWER_BYTES);
    for (long due = System.nanoTime(); !stopping; due += periodNanos) {
      for (long wait; !stopping && (wait = due - System.nanoTime()) > 0; ) {
        LockSupport.parkNanos(wait);
      }
      try {
        exchange(answer);
        add(System.nanoTime() - due);
      } catch (IOException failed) {
        if (!stopping) {
          lost++;
          due = System.nanoTime();
        }
        close();
      }
    }
    close();
  }

  private void add(long took) {
    if (answered == nanos.length) {
      nanos = Arrays.copyOf(nanos, 2 * answered);
    }
    nanos[answered++] = took;
  }

  private void exchange(ByteBuffer answer) throws IOException {
    SocketChannel open = connection;
    if (open == null) {
      open = SocketChannel.open(server);
      open.setOption(StandardSocketOptions.TCP_NODELAY, true);
      connection = open;
    }
    for (ByteBuffer out = ByteBuffer.wrap(request); out.hasRemaining(); ) {
      open.write(out);
    }
    answer.clear();
    String text;
    do {
      if (open.read(answer) < 0) {
        throw new IOException("closed");
      }
      text = US_ASCII.decode(answer.duplicate().flip()).toString();
      // The answer has no body.
    } while (!text.endsWith("\r\n\r\n"));
    if (!text.startsWith("HTTP/1.1 200 ")) {
      throw new IOException("refused");
    }
  }

  private void close() {
    try {
      SocketChannel open = connection;
      connection = null;
      if (open != null) {
        open.close();
      }
    } catch (IOException alreadyGone) {
      // Nothing is left of it.
    }
  }
}
