package dev.weir.benchmarks.streams.load;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Copies what a node has flushed again and again, on one connection, and keeps nothing: the
 * processors are the node's, as where the copy is on another host.
 */
public final class SegmentCopy {
  private static final int BUFFER_BYTES = 256 << 10;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double BYTES_PER_MB = 1e6;
  private static final long POLL_NANOS = 50_000_000;
  private static final Pattern LENGTH =
      Pattern.compile("\\r\\ncontent-length: *(\\d+)\\r\\n", Pattern.CASE_INSENSITIVE);

  private final InetSocketAddress source;
  private final long bytesPerSecond;
  private final LongAdder copied = new LongAdder();
  private final long startNanos = System.nanoTime();
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES).flip();
  private final Thread thread = Thread.ofPlatform().daemon().name("copy").unstarted(this::run);
  private volatile boolean isOver;
  private @Nullable IOException failure;

  private SegmentCopy(InetSocketAddress source, long bytesPerSecond) {
    this.source = source;
    this.bytesPerSecond = bytesPerSecond;
  }

  /**
   * Copies while something else is done.
   *
   * @param bytesPerSecond 0 for as fast as it goes
   * @return megabytes in a second
   * @throws IOException if a copy or the work fails
   */
  public static double beside(InetSocketAddress source, long bytesPerSecond, Readers.Work work)
      throws IOException {
    SegmentCopy copy = new SegmentCopy(source, bytesPerSecond);
    copy.thread.start();
    try {
      work.run();
      return copy.copied.sum() * NANOS_PER_SECOND / BYTES_PER_MB / copy.elapsedNanos();
    } finally {
      copy.end();
    }
  }

  private long elapsedNanos() {
    return System.nanoTime() - startNanos;
  }

  private void end() throws IOException {
    isOver = true;
    try {
      thread.join();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while segments are copied");
    }
    if (failure != null) {
      throw failure;
    }
  }

  private void run() {
    try {
      while (!isOver) {
        try (SocketChannel channel = SocketChannel.open(source)) {
          copy(channel);
        }
      }
    } catch (IOException failed) {
      failure = failed;
    }
  }

  private void copy(SocketChannel channel) throws IOException {
    while (!isOver) {
      String head = ask(channel, "manifest");
      skip(channel, length(head));
      if (isOver) {
        return; // Perhaps in the middle of an answer.
      }
      if (!head.startsWith("HTTP/1.1 200")) {
        LockSupport.parkNanos(POLL_NANOS);
        continue;
      }
      String bytes = ask(channel, "bytes");
      if (!bytes.startsWith("HTTP/1.1 200")) {
        throw new IOException("a copy was answered: " + bytes.lines().findFirst().orElse(""));
      }
      skip(channel, length(bytes));
    }
  }

  private String ask(SocketChannel channel, String what) throws IOException {
    buffer.clear().flip();
    String request = "GET /containers/store/%s HTTP/1.1\r\nHost: localhost\r\n\r\n".formatted(what);
    for (ByteBuffer out = ByteBuffer.wrap(request.getBytes(US_ASCII)); out.hasRemaining(); ) {
      channel.write(out);
    }
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n", Math.max(0, head.length() - 4)) < 0) {
      refill(channel);
      head.append((char) buffer.get());
    }
    return head.toString();
  }

  private static long length(String head) throws IOException {
    Matcher length = LENGTH.matcher(head);
    if (!length.find()) {
      throw new IOException("an answer has no length");
    }
    return Long.parseLong(length.group(1));
  }

  private void skip(SocketChannel channel, long bytes) throws IOException {
    for (long left = bytes; left > 0 && !isOver; ) {
      refill(channel);
      int step = (int) Math.min(left, buffer.remaining());
      buffer.position(buffer.position() + step);
      left -= step;
      copied.add(step);
      pace();
    }
  }

  private void refill(SocketChannel channel) throws IOException {
    if (!buffer.hasRemaining()) {
      buffer.clear();
      if (channel.read(buffer) < 0) {
        throw new EOFException("the node closed the connection in an answer");
      }
      buffer.flip();
    }
  }

  private void pace() {
    if (bytesPerSecond > 0) {
      long due = (long) (copied.sum() * NANOS_PER_SECOND / bytesPerSecond);
      long early = due - elapsedNanos();
      if (early > 0) {
        LockSupport.parkNanos(this, early);
      }
    }
  }
}
