package dev.weir.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.profile.LiveBlocks;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What Netty reads is allocated by its read loop; the profile names the handler that keeps it. */
@Timeout(120)
class HeldReadsTest {
  private static final int BYTES = 4 << 20;

  private final ConcurrentLinkedQueue<ByteBuf> kept = new ConcurrentLinkedQueue<>();
  private final CountDownLatch allRead = new CountDownLatch(1);
  private final AtomicInteger read = new AtomicInteger();

  /** Keeps a slice of each buffer, and passes the buffer on to Netty's tail, which releases it. */
  private final class Keeper extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
      ByteBuf bytes = (ByteBuf) msg;
      kept.add(bytes.retainedSlice());
      if (read.addAndGet(bytes.readableBytes()) == BYTES) {
        allRead.countDown();
      }
      ctx.fireChannelRead(msg);
    }
  }

  private static final class PassOn extends ChannelInboundHandlerAdapter {}

  @ParameterizedTest
  @MethodSource("dev.weir.netty.TransportUnderTest#available")
  void theHandlerThatKeepsAReceivedBufferIsNamed(TransportUnderTest transport) throws Exception {
    Pool pool = Pool.create(PoolOptions.withLimit(64 << 20).withProfile(4 << 10));
    WeirAllocator allocator = new WeirAllocator(pool);
    EventLoopGroup loops = transport.newLoops(2);
    Channel server =
        Loopback.listen(
            transport,
            loops,
            allocator,
            channel -> channel.pipeline().addLast(new PassOn(), new Keeper()));
    Channel client =
        transport
            .client(loops)
            .handler(new ChannelInboundHandlerAdapter())
            .connect(server.localAddress())
            .sync()
            .channel();

    client.writeAndFlush(Unpooled.wrappedBuffer(new byte[BYTES]));
    assertThat(allRead.await(60, TimeUnit.SECONDS)).isTrue();

    List<LiveBlocks> samples = pool.profile().samples();
    assertThat(samples.stream().filter(HeldReadsTest::isOfAReadLoop)).isNotEmpty();
    assertThat(samples)
        .filteredOn(HeldReadsTest::isOfAReadLoop)
        .allSatisfy(blocks ->
            assertThat(blocks.stack().getFirst())
                .hasToString(Keeper.class.getName() + ".<touched>(Unknown Source)"));
    assertThat(pool.profile().collapsed()).contains(";" + Keeper.class.getName() + ".<touched> ");

    loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    kept.forEach(ByteBuf::release);
    assertThat(pool.profile().samples()).isEmpty();
    pool.close();
  }

  /** Not what a transport keeps for itself between reads. */
  private static boolean isOfAReadLoop(LiveBlocks blocks) {
    return blocks.stack().stream()
        .anyMatch(frame -> frame.getClassName().startsWith("io.netty.channel"));
  }
}
