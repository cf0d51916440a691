package dev.weir.netty.transport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.Loopback;
import dev.weir.netty.TransportUnderTest;
import dev.weir.netty.WeirAllocator;
import dev.weir.netty.write.AbortiveClose;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The peer of a channel that is closed in the middle of its input and its output hears of it. */
@Timeout(60)
class ClosedWhileReadingTest {
  private static final int ANSWER_BYTES = 16 << 20;

  @ParameterizedTest
  @MethodSource("dev.weir.netty.TransportUnderTest#available")
  void thePeerHearsOfTheEnd(TransportUnderTest transport) throws Exception {
    endsWith(transport, ChannelHandlerContext::close);
  }

  @ParameterizedTest
  @MethodSource("dev.weir.netty.TransportUnderTest#available")
  void thePeerHearsOfTheReset(TransportUnderTest transport) throws Exception {
    endsWith(
        transport,
        ctx -> {
          AbortiveClose.judgeBy(ctx.channel(), () -> true);
          AbortiveClose.close(ctx);
        });
  }

  private static void endsWith(TransportUnderTest transport, Consumer<ChannelHandlerContext> close)
      throws Exception {
    EventLoopGroup loops = transport.newLoops(1);
    try (WeirAllocator allocator = WeirAllocator.withLimit(64L << 20)) {
      CountDownLatch closing = new CountDownLatch(1);
      Channel listener =
          Loopback.listen(
              transport,
              loops,
              allocator,
              channel -> channel.pipeline().addLast(new Answers(close, closing)));
      int port = ((InetSocketAddress) listener.localAddress()).getPort();
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(20));
        socket.getOutputStream().write(1);
        // Until then it takes nothing, so that the write is under way.
        closing.await();
        // All of them where the write is over before the close, which waits for it on io_uring.
        assertThat(bytesUntilEnd(socket)).isLessThanOrEqualTo(ANSWER_BYTES);
      }
      loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
  }

  /** Fails if there is none in time. */
  private static long bytesUntilEnd(Socket socket) throws IOException {
    byte[] bytes = new byte[1 << 16];
    long all = 0;
    try {
      for (int read; (read = socket.getInputStream().read(bytes)) >= 0; ) {
        all += read;
      }
    } catch (SocketTimeoutException never) {
      throw never;
    } catch (IOException reset) {
      return all;
    }
    return all;
  }

  /** Closes while the answer is on its way; more is read by itself. */
  private static final class Answers extends ChannelInboundHandlerAdapter {
    private final Consumer<ChannelHandlerContext> close;
    private final CountDownLatch closing;

    Answers(Consumer<ChannelHandlerContext> close, CountDownLatch closing) {
      this.close = close;
      this.closing = closing;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ReferenceCountUtil.release(message);
      ctx.writeAndFlush(ctx.alloc().directBuffer(ANSWER_BYTES).writeZero(ANSWER_BYTES));
      close.accept(ctx);
      ctx.read(); // As a handler may that asks for each part of its input.
      closing.countDown();
    }
  }
}
