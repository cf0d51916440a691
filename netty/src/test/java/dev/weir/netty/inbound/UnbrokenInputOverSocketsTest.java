package dev.weir.netty.inbound;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.Loopback;
import dev.weir.netty.TestCertificate;
import dev.weir.netty.TransportUnderTest;
import dev.weir.netty.WeirAllocator;
import dev.weir.netty.write.FailStopTls;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Connections that need more memory together than there is: every frame comes whole and in order,
 * or its channel is closed. {@code -Dweir.test.long=true} has more seeds and frames; {@code
 * -Dweir.test.seed=7} runs one seed.
 */
@Timeout(600)
class UnbrokenInputOverSocketsTest {
  private static final boolean LONG = Boolean.getBoolean("weir.test.long");
  private static final int SEEDS = LONG ? 20 : 8;
  private static final int CONNECTIONS = 16;
  private static final int FRAMES = LONG ? 10 : 3;
  private static final int MAX_FRAME_BYTES = 400_000;
  private static final long LIMIT_BYTES = 2L << 20;

  private static TestCertificate certificate;

  private final WeirAllocator allocator = WeirAllocator.withLimit(LIMIT_BYTES);
  private int whole;
  private int cut;

  @BeforeAll
  static void makeCertificate(@TempDir Path keys) throws Exception {
    certificate = TestCertificate.create(keys);
  }

  @ParameterizedTest
  @MethodSource("dev.weir.netty.TransportUnderTest#available")
  void nothingIsWrongOrStuck(TransportUnderTest transport) throws Exception {
    Integer only = Integer.getInteger("weir.test.seed");
    EventLoopGroup loops = transport.newLoops(2);
    try {
      for (int seed = 0; seed < SEEDS; seed++) {
        if (only == null || only == seed) {
          run(transport, loops, seed);
        }
      }
    } finally {
      loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
    if (LONG) {
      System.out.printf("%s: %d whole, %d cut%n", transport, whole, cut);
    }
    if (only == null) {
      assertThat(cut).as("connections that were closed for want of memory").isPositive();
      assertThat(whole).as("connections that were not").isPositive();
    }
    assertThat(allocator.pool().liveBlockBytes()).isZero();
    assertThat(allocator.pool().rootBudget().heapBytes()).isZero();
    allocator.close();
  }

  /** Seeds differ in decoders, with and without TLS and auto-read. */
  private void run(TransportUnderTest transport, EventLoopGroup loops, int seed) throws Exception {
    Frames kind = Frames.values()[seed % Frames.values().length];
    SslContext tls = seed % 3 == 0 ? certificate.server(SslProvider.JDK) : null;
    boolean autoRead = seed % 2 == 0;
    Map<Integer, Sent> sent = new ConcurrentHashMap<>();
    Channel listener =
        Loopback.listen(
            transport,
            loops,
            allocator,
            channel -> {
              channel.config().setAutoRead(autoRead);
              if (tls != null) {
                FailStopTls.addTo(channel.pipeline(), tls.newHandler(channel.alloc()));
              }
              UnbrokenInput.addTo(channel.pipeline(), kind.decoders());
              channel.pipeline().addLast(new App(kind, sent));
            });
    int port = ((InetSocketAddress) listener.localAddress()).getPort();
    List<CompletableFuture<Void>> clients = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      Sent frames = new Sent(kind, 1000 * seed + i);
      CompletableFuture<Void> done = new CompletableFuture<>();
      clients.add(done);
      Thread.startVirtualThread(() -> {
        try (Socket plain = new Socket(InetAddress.getLoopbackAddress(), port)) {
          sent.put(plain.getLocalPort(), frames);
          send(tls == null ? plain : certificate.secure(plain), frames);
        } catch (Exception closed) {
          // The server has closed it before it had read everything.
        }
        done.complete(null);
      });
    }
    CompletableFuture.allOf(clients.toArray(CompletableFuture[]::new)).get(2, TimeUnit.MINUTES);
    listener.close().sync();
    for (Sent frames : sent.values()) {
      Outcome outcome = frames.outcome.get(2, TimeUnit.MINUTES);
      assertThat(outcome)
          .as("%s, %s, -Dweir.test.seed=%d: %s", transport, kind, seed, frames.failures)
          .isNotEqualTo(Outcome.WRONG);
      whole += outcome == Outcome.WHOLE ? 1 : 0;
      cut += outcome == Outcome.CUT ? 1 : 0;
    }
  }

  /** Sends all in pieces of any size, and waits for the end. */
  private static void send(Socket socket, Sent frames) throws IOException {
    SplittableRandom sizes = new SplittableRandom(frames.number);
    OutputStream out = socket.getOutputStream();
    for (int at = 0, bytes; at < frames.wire.length; at += bytes) {
      bytes = Math.min(1 + sizes.nextInt(50_000), frames.wire.length - at);
      out.write(frames.wire, at, bytes);
    }
    out.flush();
    socket.getInputStream().read();
  }

  private enum Outcome {
    WHOLE,
    CUT,
    WRONG
  }

  /** What one connection sends, and what has become of it. */
  private static final class Sent {
    final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
    final List<Throwable> failures = new CopyOnWriteArrayList<>();
    final int number;
    final byte[] wire;
    final byte[] content;

    /** Where a frame ends in the content. */
    final Set<Integer> ends = new HashSet<>();

    Sent(Frames kind, int number) {
      this.number = number;
      SplittableRandom sizes = new SplittableRandom(~number);
      ByteArrayOutputStream encoded = new ByteArrayOutputStream();
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      for (int i = 0; i < FRAMES; i++) {
        byte[] frame = Frames.frame(sizes.nextInt(), 1 + sizes.nextInt(MAX_FRAME_BYTES));
        encoded.writeBytes(kind.encode(frame));
        all.writeBytes(frame);
        ends.add(all.size());
      }
      wire = encoded.toByteArray();
      content = all.toByteArray();
    }
  }

  private static final class App extends ChannelInboundHandlerAdapter {
    private final Frames kind;
    private final Map<Integer, Sent> all;
    private @Nullable Sent sent;
    private int port;
    private int received;
    private boolean wrong;
    private boolean refused;

    App(Frames kind, Map<Integer, Sent> all) {
      this.kind = kind;
      this.all = all;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      port = ((InetSocketAddress) ctx.channel().remoteAddress()).getPort();
      ctx.read();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ByteBuf part = kind.content(message);
      if (part != null) {
        compare(ctx, part);
        part.release();
      }
      ReferenceCountUtil.release(message);
    }

    private void compare(ChannelHandlerContext ctx, ByteBuf part) {
      if (sent == null) {
        sent = all.get(port);
      }
      byte[] bytes = new byte[part.readableBytes()];
      part.readBytes(bytes);
      int end = received + bytes.length;
      wrong |=
          end > sent.content.length
              || !Arrays.equals(bytes, Arrays.copyOfRange(sent.content, received, end))
              || (kind != Frames.DECOMPRESSED && !sent.ends.contains(end));
      received = end;
      if (received >= sent.content.length) {
        ctx.close();
      }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      if (!ctx.channel().config().isAutoRead()) {
        // Not within what the transport does now.
        ctx.executor().execute(ctx::read);
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      Sent mine = all.get(port);
      boolean isWhole = received == mine.content.length;
      mine.outcome.complete(
          wrong || !(isWhole || refused) ? Outcome.WRONG : isWhole ? Outcome.WHOLE : Outcome.CUT);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      all.get(port).failures.add(cause);
      refused |= cause instanceof OutOfMemoryError || cause.getCause() instanceof OutOfMemoryError;
    }
  }
}
