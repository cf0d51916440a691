package dev.weir.netty.flow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.budget.Budget;
import dev.weir.netty.Loopback;
import dev.weir.netty.TransportUnderTest;
import dev.weir.netty.WeirAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(120)
class ReadCompactorTest {
  private static final int KIB = 1 << 10;
  private static final int RECEIVE_BYTES = 64 * KIB;

  private final WeirAllocator allocator = WeirAllocator.withLimit(16 << 20);
  private final EmbeddedChannel channel = new EmbeddedChannel(new ReadCompactor());

  @AfterEach
  void everythingIsReleased() {
    channel.finishAndReleaseAll();
    assertThat(allocator.pool().liveBlockBytes()).isZero();
    allocator.close();
  }

  private ByteBuf received(int capacity, int bytes) {
    return allocator.directBuffer(capacity).setByte(0, 1).writeZero(bytes).setByte(0, 7);
  }

  private Object passed(Object message) {
    channel.config().setAllocator(allocator);
    channel.writeInbound(message);
    return channel.readInbound();
  }

  @Test
  void sixMebibytesInReadsOfOneKibibyteFitIntoAPoolOfSixteen() {
    List<ByteBuf> kept = new ArrayList<>();
    for (int i = 0; i < 6 * KIB; i++) {
      kept.add((ByteBuf) passed(received(RECEIVE_BYTES, KIB)));
    }

    assertThat(allocator.pool().liveBlockBytes()).isEqualTo(6 << 20);
    assertThat(kept).allSatisfy(buffer -> assertThat(buffer.readByte()).isEqualTo((byte) 7));
    kept.forEach(ByteBuf::release);
  }

  @Test
  void aBufferThatIsFilledPastAQuarterOrIsSmallPasses() {
    for (ByteBuf buffer :
        List.of(
            received(RECEIVE_BYTES, RECEIVE_BYTES / 4 + 1),
            received(KIB, 1),
            received(RECEIVE_BYTES, 0))) {
      assertThat(passed(buffer)).isSameAs(buffer);
      buffer.release();
    }
    ByteBuf quarter = received(RECEIVE_BYTES, RECEIVE_BYTES / 4);
    ByteBuf fitting = (ByteBuf) passed(quarter);
    assertThat(fitting.capacity()).isEqualTo(RECEIVE_BYTES / 4);
    assertThat(quarter.refCnt()).isZero();
    fitting.release();
  }

  @Test
  void onlyWhatIsReadableIsCopied() {
    ByteBuf buffer = received(RECEIVE_BYTES, KIB).skipBytes(1).writeByte(9);
    ByteBuf fitting = (ByteBuf) passed(buffer);
    assertThat(fitting.readableBytes()).isEqualTo(KIB);
    assertThat(fitting.getByte(KIB - 1)).isEqualTo((byte) 9);
    assertThat(buffer.refCnt()).isZero();
    fitting.release();
  }

  @Test
  void whatOthersHoldPasses() {
    ByteBuf buffer = received(RECEIVE_BYTES, KIB).retain();
    assertThat(passed(buffer)).isSameAs(buffer);
    buffer.release(2);
  }

  @Test
  void withoutRoomForACopyTheBufferPasses() {
    Budget full = allocator.pool().rootBudget().child("full", 100);
    ByteBuf buffer = received(RECEIVE_BYTES, KIB);
    channel.config().setAllocator(allocator.charging(full));
    channel.writeInbound(buffer);
    assertThat(channel.<Object>readInbound()).isSameAs(buffer);
    buffer.release();
  }

  @Test
  void theContentOfADatagramIsCompactedToo() {
    InetSocketAddress to = InetSocketAddress.createUnresolved("to", 1);
    InetSocketAddress from = InetSocketAddress.createUnresolved("from", 2);
    DatagramPacket packet = new DatagramPacket(received(RECEIVE_BYTES, KIB), to, from);
    DatagramPacket fitting = (DatagramPacket) passed(packet);
    assertThat(fitting.content().capacity()).isEqualTo(KIB);
    assertThat(fitting.recipient()).isEqualTo(to);
    assertThat(fitting.sender()).isEqualTo(from);
    assertThat(packet.refCnt()).isZero();
    fitting.release();

    DatagramPacket full = new DatagramPacket(received(RECEIVE_BYTES, RECEIVE_BYTES), to, from);
    assertThat(passed(full)).isSameAs(full);
    full.release();
  }

  @Test
  void whatIsNoBufferPasses() {
    assertThat(passed("message")).isEqualTo("message");
  }

  private static final class Keeper extends ChannelInboundHandlerAdapter {
    private final ConcurrentLinkedQueue<ByteBuf> kept = new ConcurrentLinkedQueue<>();
    private final Semaphore bytes = new Semaphore(0);

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
      kept.add((ByteBuf) msg);
      bytes.release(((ByteBuf) msg).readableBytes());
    }
  }

  /** 500 buffers of 64 KiB do not fit into 16 MiB. */
  @ParameterizedTest
  @MethodSource("dev.weir.netty.TransportUnderTest#available")
  void readsOfAFixedSizeAreKeptWithoutTheirBuffers(TransportUnderTest transport) throws Exception {
    Keeper keeper = new Keeper();
    EventLoopGroup loops = transport.newLoops(2);
    Channel server =
        Loopback.listen(
            transport,
            loops,
            allocator,
            accepted -> {
              accepted
                  .config()
                  .setRecvByteBufAllocator(new FixedRecvByteBufAllocator(RECEIVE_BYTES));
              accepted.pipeline().addLast(new ReadCompactor(), keeper);
            });
    Channel client =
        transport
            .client(loops)
            .handler(new ChannelInboundHandlerAdapter())
            .connect(server.localAddress())
            .sync()
            .channel();

    for (int i = 0; i < 500; i++) {
      client.writeAndFlush(Unpooled.wrappedBuffer(new byte[KIB])).sync();
      assertThat(keeper.bytes.tryAcquire(KIB, 60, TimeUnit.SECONDS)).isTrue();
    }

    loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    assertThat(keeper.kept).hasSizeGreaterThanOrEqualTo(500);
    keeper.kept.forEach(ByteBuf::release);
  }
}
