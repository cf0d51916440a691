package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.PoolOptions;
import dev.weir.memory.profile.LeakWatch;
import dev.weir.netty.WeirAllocator;
import dev.weir.server.console.ConsoleAccess;
import dev.weir.server.top.TopCommand;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.local.LocalServerChannel;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.ResourceLeakDetector;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.jr.ob.JSON;

/**
 * A handler that forgets to release: who names it, and when. The short form leaks 8 MB/s and
 * suspects what is a second old; with {@code -Dweir.test.long=true} it is 1 MB/s and what the node
 * has by default, and in a Java heap that is large enough, as docs/guide/observe.md has it, no
 * garbage is collected before.
 */
class LeakTest {
  private static final boolean LONG = Boolean.getBoolean("weir.test.long");
  private static final int MESSAGE_BYTES = 16 << 10;
  private static final long LEAKED_BYTES_PER_SECOND = LONG ? 1_000_000 : 8_000_000;

  /** Room for what leaks in as long as the test waits for the leak to be named. */
  private static final long BUDGET_BYTES = 512 << 20;

  private static final Duration STEP = LONG ? Duration.ofMillis(500) : Duration.ofMillis(10);
  private static final String PLACE = "LeakTest$ForgetfulHandler.channelRead(LeakTest.java:";

  @TempDir Path directory;

  /** Copies each message, and forgets the copy. */
  private static final class ForgetfulHandler extends ChannelInboundHandlerAdapter {
    private final @Nullable Queue<ByteBuf> forTheEnd;
    private final AtomicLong messages;

    ForgetfulHandler(@Nullable Queue<ByteBuf> forTheEnd, AtomicLong messages) {
      this.forTheEnd = forTheEnd;
      this.messages = messages;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ByteBuf copy = ctx.alloc().directBuffer(MESSAGE_BYTES).writeBytes((ByteBuf) message);
      if (forTheEnd != null) {
        forTheEnd.add(copy);
      }
      messages.incrementAndGet();
      ReferenceCountUtil.release(message);
    }
  }

  /** A server with that handler, and a client that sends it messages. */
  private static final class LeakyServer implements AutoCloseable {
    private final MultiThreadIoEventLoopGroup loops =
        new MultiThreadIoEventLoopGroup(1, LocalIoHandler.newFactory());
    private final AtomicLong received = new AtomicLong();
    private final Channel client;
    private long sent;

    LeakyServer(WeirAllocator allocator, @Nullable Queue<ByteBuf> forTheEnd) {
      LocalAddress address = new LocalAddress(LeakTest.class);
      new ServerBootstrap()
          .group(loops)
          .channel(LocalServerChannel.class)
          .childOption(ChannelOption.ALLOCATOR, allocator)
          .childHandler(
              new ChannelInitializer<>() {
                @Override
                protected void initChannel(Channel channel) {
                  channel.pipeline().addLast(new ForgetfulHandler(forTheEnd, received));
                }
              })
          .bind(address)
          .syncUninterruptibly();
      client =
          new Bootstrap()
              .group(loops)
              .channel(LocalChannel.class)
              .handler(new ChannelInboundHandlerAdapter())
              .connect(address)
              .syncUninterruptibly()
              .channel();
    }

    /** Sends what is due since the beginning. */
    void sendUntil(long bytes) throws IOException {
      while (sent * MESSAGE_BYTES < bytes) {
        client.writeAndFlush(Unpooled.wrappedBuffer(new byte[MESSAGE_BYTES]));
        sent++;
      }
      NodeFixture.await("messages received", () -> received.get() == sent);
    }

    @Override
    public void close() {
      loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }
  }

  @Test
  void theConsoleAndTopNameTheLine() throws Exception {
    Node.ConsoleSettings settings =
        LONG
            ? Node.ConsoleSettings.DEFAULT
            : new Node.ConsoleSettings(
                ConsoleAccess.LOOPBACK,
                Duration.ofMillis(50),
                PoolOptions.DEFAULT_BYTES_PER_SAMPLE / 8,
                LeakWatch.DEFAULT_THRESHOLD.dividedBy(30));
    WeirAllocator[] allocator = new WeirAllocator[1];
    NodeParts parts = NodeParts.forBudget(BUDGET_BYTES);
    NodeParts seen =
        new NodeParts(
                parts.disk(),
                parts.sockets().transport(),
                parts.limits(),
                real -> {
                  allocator[0] = (WeirAllocator) real.allocator();
                  return real;
                })
            .with(settings);
    Queue<ByteBuf> lost = new ConcurrentLinkedQueue<>();
    try (NodeFixture fixture = new NodeFixture(directory, BUDGET_BYTES, seen)) {
      try (LeakyServer server = new LeakyServer(allocator[0], lost)) {
        long begunNanos = System.nanoTime();
        long collectionsBefore = collections();
        String[] place = new String[1];
        do {
          LockSupport.parkNanos(STEP.toNanos());
          long nanos = System.nanoTime() - begunNanos;
          assertThat(nanos).as("nanoseconds until it is named").isLessThan(60_000_000_000L);
          server.sendUntil((long) (nanos / 1e9 * LEAKED_BYTES_PER_SECOND));
        } while ((place[0] = suspect(fixture)) == null);
        long collections = collections() - collectionsBefore;
        System.out.printf(
            "a leak of %,d bytes/s was named after %.1f s and %d garbage collections: %s%n",
            LEAKED_BYTES_PER_SECOND, (System.nanoTime() - begunNanos) / 1e9, collections, place[0]);
        if (LONG) {
          assertThat(collections).as("garbage collections").isZero();
        }
        assertThat(place[0]).contains(PLACE);
        String line = place[0].replaceAll(".*\\((.*)\\)", "$1");
        try (RawClient client = fixture.raw()) {
          assertThat(client.metric("weir_pool_suspected_leaks")).isGreaterThanOrEqualTo(1);
        }
        assertThat(top(fixture)).contains("suspected leak", "ForgetfulHandler.channelRead " + line);
      }
      lost.forEach(ByteBuf::release);
      fixture.assertNothingLeaked();
    }
  }

  private static long collections() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .mapToLong(GarbageCollectorMXBean::getCollectionCount)
        .sum();
  }

  private static @Nullable String suspect(NodeFixture fixture) throws Exception {
    Map<?, ?> profile =
        (Map<?, ?>)
            JSON.std
                .mapFrom(
                    fixture
                        .http
                        .send(
                            HttpRequest.newBuilder(fixture.uri("/_weir/snapshot")).build(),
                            HttpResponse.BodyHandlers.ofString())
                        .body())
                .get("profile");
    List<?> suspects = (List<?>) profile.get("suspects");
    return suspects.isEmpty() ? null : (String) ((Map<?, ?>) suspects.getFirst()).get("place");
  }

  private static String top(NodeFixture fixture) {
    StringWriter out = new StringWriter();
    int status =
        new CommandLine(new TopCommand())
            .setOut(new PrintWriter(out, /* autoFlush= */ true))
            .execute("--once", "localhost:" + fixture.node.address().getPort());
    assertThat(status).isZero();
    return out.toString();
  }

  @Test
  void nettysDetectorNamesTheLineAfterOne() throws Exception {
    ResourceLeakDetector.Level before = ResourceLeakDetector.getLevel();
    Queue<String> reports = new ConcurrentLinkedQueue<>();
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
    WeirAllocator.setLeakListener((resource, records) -> reports.add(records));
    try (WeirAllocator allocator = WeirAllocator.withLimit(16 << 20);
        LeakyServer server = new LeakyServer(allocator, null)) {
      server.sendUntil(4 * MESSAGE_BYTES);
      NodeFixture.await(
          "the detector's report",
          () -> {
            System.gc();
            // It looks at what was collected when a buffer is allocated.
            allocator.directBuffer(1).release();
            return reports.stream().anyMatch(report -> report.contains(PLACE));
          });
    } finally {
      WeirAllocator.setLeakListener(null);
      ResourceLeakDetector.setLevel(before);
    }
  }
}
