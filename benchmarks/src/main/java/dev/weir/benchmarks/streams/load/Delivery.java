package dev.weir.benchmarks.streams.load;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The time from an append to its arrival at each of many readers, who wait on one event loop of
 * this JVM. One writer appends small texts at a pace that leaves the server idle in between.
 */
public final class Delivery {
  private static final Duration START_LIMIT = Duration.ofSeconds(30);
  private static final Duration PACE = Duration.ofMillis(20);

  /** Warms up four times as much in the same time. */
  private static final Duration WARM_UP_PACE = Duration.ofMillis(5);

  private static final int MESSAGE_BYTES = 100;

  /** The last message arrives everywhere within this. */
  private static final Duration END_LIMIT = Duration.ofSeconds(30);

  private static final long LOOK_NANOS = 10_000_000;

  private Delivery() {}

  /** How readers wait. */
  public enum Way {
    /** Server-sent events. */
    SSE,
    /** One request for each answer. */
    LONG_POLL;

    ChannelHandler reader(Target target, Arrivals arrivals) {
      return this == SSE ? new SseReader(target, arrivals) : new LongPollReader(target, arrivals);
    }
  }

  /**
   * Sends messages to readers of the first stream of a target, which is of text.
   *
   * @param warmUp how long messages are sent that do not count
   * @return a sample for each message and reader
   * @throws IOException if readers do not start, or a message does not arrive everywhere
   */
  public static Samples run(Target target, Way way, int readers, Duration warmUp, int messages)
      throws IOException {
    int warmUps = (int) warmUp.dividedBy(WARM_UP_PACE);
    Arrivals arrivals = new Arrivals(readers);
    EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    List<Channel> channels = new ArrayList<>();
    try (SocketChannel writer = SocketChannel.open(target.server())) {
      Bootstrap bootstrap = bootstrap(loop, target, way, arrivals);
      for (int i = 0; i < readers; i++) {
        channels.add(bootstrap.connect(target.server()).sync().channel());
      }
      await(arrivals.started(), "readers did not start");
      write(writer, target, warmUps, WARM_UP_PACE);
      take(loop, arrivals, readers * warmUps);
      write(writer, target, messages, PACE);
      return take(loop, arrivals, readers * messages);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while messages are sent");
    } finally {
      channels.forEach(Channel::close);
      loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
  }

  /** Waits until so many have arrived, and begins anew. */
  private static Samples take(EventLoopGroup loop, Arrivals arrivals, int count)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + END_LIMIT.toNanos();
    while (true) {
      int arrived = loop.submit(arrivals::count).sync().getNow();
      if (arrived == count) {
        return loop.submit(arrivals::take).sync().getNow();
      }
      if (arrived > count || System.nanoTime() > end) {
        throw new IOException("%d of %d messages arrived".formatted(arrived, count));
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  private static Bootstrap bootstrap(
      EventLoopGroup loop, Target target, Way way, Arrivals arrivals) {
    return new Bootstrap()
        .group(loop)
        .channel(NioSocketChannel.class)
        .option(ChannelOption.TCP_NODELAY, true)
        .handler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel channel) {
                channel.pipeline().addLast(way.reader(target, arrivals));
              }
            });
  }

  private static void await(CountDownLatch latch, String otherwise)
      throws IOException, InterruptedException {
    if (!latch.await(START_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
      throw new IOException(otherwise + " within " + START_LIMIT.toSeconds() + " s");
    }
  }

  private static void write(SocketChannel channel, Target target, int messages, Duration pace)
      throws IOException {
    ByteBuffer answer = ByteBuffer.allocate(4096);
    long due = System.nanoTime();
    for (int i = 0; i < messages; i++) {
      for (long wait; (wait = due - System.nanoTime()) > 0; ) {
        LockSupport.parkNanos(wait);
      }
      due += pace.toNanos();
      String text = NumberScan.text(System.nanoTime());
      text += " ".repeat(MESSAGE_BYTES - text.length());
      ByteBuffer request = ByteBuffer.allocate(1024);
      request.put(target.head("POST", 1, "text/plain", MESSAGE_BYTES));
      request.put(text.getBytes(US_ASCII)).flip();
      while (request.hasRemaining()) {
        channel.write(request);
      }
      awaitSuccess(channel, answer.clear());
    }
  }

  /** The answer to an append has no body. */
  private static void awaitSuccess(SocketChannel channel, ByteBuffer answer) throws IOException {
    String text = "";
    while (!text.endsWith("\r\n\r\n")) {
      if (channel.read(answer) < 0) {
        throw new IOException("the server closed the writer's connection");
      }
      text = US_ASCII.decode(answer.duplicate().flip()).toString();
    }
    if (!text.startsWith("HTTP/1.1 2")) {
      throw new IOException("an append was answered: " + text.lines().findFirst().orElse(""));
    }
  }
}
