package dev.weir.netty.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.netty.Loopback;
import dev.weir.netty.TransportUnderTest;
import dev.weir.netty.WeirAllocator;
import dev.weir.netty.write.OutboundClosing;
import dev.weir.netty.write.Outlet;
import dev.weir.netty.write.Producer;
import dev.weir.netty.write.WriteGate;
import dev.weir.netty.write.WriteGateOptions;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A write gate between the socket and the HTTP codec, and a chunked response: at each allocation in
 * turn memory is refused, for a head, for the frame of a chunk, for trailers, for the copy that the
 * transport makes. The client never gets a response with a hole.
 */
@Timeout(120)
class RefusedEncodingTest {
  private static final int CHUNKS = 8;
  private static final int CHUNK_BYTES = 1_000;

  /** The buffers that a response is made of. */
  enum Content {
    DIRECT,
    ARRAY
  }

  private final Pool pool = Pool.create(PoolOptions.withLimit(16L << 20));
  private final FailingAllocator allocator = new FailingAllocator(new WeirAllocator(pool));
  private final WriteGate gate = new WriteGate(WriteGateOptions.within(1 << 20));
  private final BlockingQueue<OutboundClosing> closings = new LinkedBlockingQueue<>();
  private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);

  /** A permit for each connection whose pipeline is complete. */
  private final Semaphore accepted = new Semaphore(0);

  private final EventLoopGroup loops = TransportUnderTest.NIO.newLoops(1);
  private volatile Content content = Content.DIRECT;
  private final Channel listener =
      Loopback.listen(
          TransportUnderTest.NIO,
          loops,
          allocator,
          channel -> {
            connections.add(channel);
            channel
                .pipeline()
                .addLast(
                    gate.newHandler(),
                    new HttpRequestDecoder(),
                    new HttpResponseEncoder(),
                    new Answer());
            accepted.release();
          });

  @AfterEach
  void end() throws InterruptedException {
    listener.close().sync();
    loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    pool.close();
  }

  @ParameterizedTest
  @EnumSource
  void aResponseIsWholeOrItsConnectionEndsWithAReason(Content kind) throws Exception {
    content = kind;
    String whole = exchange();
    assertThat(whole).startsWith("HTTP/1.1 200").endsWith("0\r\ndigest: x\r\n\r\n");
    assertNothingIsHeld();
    int failures = 0;
    while (true) {
      long before = gate.brokenClosings();
      allocator.arm(failures + 1);
      String answer = exchange();
      StackTraceElement[] failedAt = allocator.disarm();
      assertNothingIsHeld();
      if (failedAt == null) {
        assertThat(answer).isEqualTo(whole);
        break;
      }
      failures++;
      assertThat(whole).startsWith(answer);
      if (!answer.isEmpty()) {
        assertThat(answer).as("cut off").isNotEqualTo(whole);
      }
      if (gate.brokenClosings() > before) {
        assertThat(closings.take().reason()).isEqualTo(OutboundClosing.Reason.WRITE_FAILED);
      }
    }
    assertThat(gate.brokenClosings()).isGreaterThan(CHUNKS);
    assertThat(exchange()).isEqualTo(whole);
    assertNothingIsHeld();
  }

  @Test
  void bytesThatCannotBeWrittenEndTheChannelWhoeverWroteThem() throws Exception {
    try (Socket client = connect()) {
      Channel channel = connections.iterator().next();
      allocator.arm(1);
      Throwable cause =
          channel
              .pipeline()
              .context(HttpRequestDecoder.class)
              .writeAndFlush(Unpooled.wrappedBuffer(new byte[100]))
              .await()
              .cause();
      assertThat(cause).isInstanceOf(OutOfMemoryError.class);
      assertThat(client.getInputStream().read()).isEqualTo(-1);
      assertThat(closings.take().message()).contains("injected");
    }
    allocator.disarm();
    assertNothingIsHeld();
  }

  private String exchange() throws IOException, InterruptedException {
    try (Socket client = connect()) {
      client.getOutputStream().write("GET / HTTP/1.1\r\nHost: weir\r\n\r\n".getBytes(US_ASCII));
      return readAll(client.getInputStream());
    }
  }

  /** Everything up to the end, or to a reset. */
  private static String readAll(InputStream input) {
    ByteArrayOutputStream answer = new ByteArrayOutputStream();
    try {
      input.transferTo(answer);
    } catch (IOException reset) {
      // What came before counts.
    }
    return answer.toString(US_ASCII);
  }

  private Socket connect() throws IOException, InterruptedException {
    InetSocketAddress address = (InetSocketAddress) listener.localAddress();
    Socket client = new Socket(address.getAddress(), address.getPort());
    client.setSoTimeout(60_000);
    accepted.acquire();
    return client;
  }

  private void assertNothingIsHeld() {
    while (!connections.isEmpty() && !Thread.currentThread().isInterrupted()) {
      Thread.onSpinWait();
    }
    for (int i = 0; i < 3; i++) {
      loops.submit(() -> {}).syncUninterruptibly();
    }
    assertThat(pool.liveBlockBytes()).isZero();
    assertThat(pool.rootBudget().heapBytes()).isZero();
    assertThat(gate.queuedBytes()).isZero();
  }

  /** Writes a head, chunks and trailers, each when it is asked, and closes after the last. */
  private final class Answer extends SimpleChannelInboundHandler<HttpRequest> {
    @Override
    protected void channelRead0(ChannelHandlerContext ctx, HttpRequest request) {
      WriteGate.pull(ctx.channel(), new Parts())
          .addListener(done -> {
            // As some do whatever has happened: it would make a failed response look whole.
            ctx.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
            if (done.isSuccess()) {
              ctx.close();
            }
          });
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      if (event instanceof OutboundClosing closing) {
        closings.add(closing);
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      ctx.close();
    }
  }

  private final class Parts implements Producer {
    private boolean resumed;
    private int written;

    @Override
    public void produce(Outlet outlet) {
      if (!resumed) {
        // Whoever began the pull hears of its end only if it does not come at once.
        resumed = true;
        outlet.resume();
        return;
      }
      if (written == 0) {
        DefaultHttpResponse head =
            new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
        head.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
        outlet.write(head);
      } else if (written <= CHUNKS) {
        outlet.write(new DefaultHttpContent(part(written)));
      } else {
        DefaultLastHttpContent last = new DefaultLastHttpContent(part(0));
        last.trailingHeaders().set("digest", "x");
        outlet.write(last);
        outlet.complete();
      }
      written++;
    }

    private ByteBuf part(int number) {
      ByteBuf bytes = content == Content.DIRECT ? pooled() : Unpooled.buffer(CHUNK_BYTES);
      while (bytes.isWritable()) {
        bytes.writeByte('a' + number);
      }
      return bytes;
    }

    /** What a service has made its response of is not what is refused here. */
    private ByteBuf pooled() {
      return allocator.behind().directBuffer(CHUNK_BYTES, CHUNK_BYTES);
    }
  }
}
