package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.netty.TestCertificate;
import dev.weir.netty.WeirAllocator;
import dev.weir.netty.http.Engine;
import dev.weir.netty.http.FailingAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.ImmediateExecutor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLException;

/** A server that answers each record, and a client. */
final class TlsTalk extends ChannelInboundHandlerAdapter implements AutoCloseable {
  static final int ANSWER_BYTES = 40_000;
  static final int REQUEST_BYTES = 100;

  final Pool pool = Pool.create(PoolOptions.withLimit(16L << 20));
  final FailingAllocator allocator = new FailingAllocator(new WeirAllocator(pool));
  final EmbeddedChannel server =
      new EmbeddedChannel(
          new ChannelOutboundHandlerAdapter() {
            @Override
            public void flush(ChannelHandlerContext ctx) {
              if (!holding) {
                ctx.flush();
              }
            }
          });
  final EmbeddedChannel client;
  final SslHandler clientTls;
  final List<Throwable> told = new ArrayList<>();
  final SslContext context;
  boolean answering = true;

  /** Whether the client's side takes nothing. */
  boolean holding;

  int receivedByServer;
  private int answeredBytes;
  private int receivedBytes;

  TlsTalk(TestCertificate certificate, Engine engine) throws Exception {
    this(certificate, engine, "TLSv1.3", ImmediateExecutor.INSTANCE);
    exchangeAll();
  }

  /** Nothing is exchanged yet. */
  TlsTalk(TestCertificate certificate, Engine engine, String protocol, Executor tasks)
      throws Exception {
    context = engine.server(certificate);
    server.config().setAllocator(allocator);
    FailStopTls.addTo(server.pipeline(), context.newHandler(allocator, tasks));
    server.pipeline().addLast(this);
    clientTls = certificate.client().newHandler(Unpooled.EMPTY_BUFFER.alloc());
    clientTls.engine().setEnabledProtocols(new String[] {protocol});
    client = new EmbeddedChannel(clientTls);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    while (bytes.isReadable()) {
      int expected = answering ? receivedByServer % REQUEST_BYTES : receivedByServer % 251;
      assertThat(bytes.readUnsignedByte()).isEqualTo((short) expected);
      receivedByServer++;
    }
    bytes.release();
    while (answering && answeredBytes / ANSWER_BYTES < receivedByServer / REQUEST_BYTES) {
      int start = answeredBytes;
      answeredBytes += ANSWER_BYTES;
      ctx.write(numbers(Unpooled.directBuffer(ANSWER_BYTES), start, ANSWER_BYTES))
          .addListener(written -> {
            if (!written.isSuccess()) {
              // As a codec does that has something to say about what failed.
              ctx.writeAndFlush(Unpooled.copiedBuffer(new byte[] {-1, -1, -1}));
              ctx.close();
            }
          });
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    ctx.flush();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable failure) {
    told.add(failure);
  }

  ByteBuf sentByClient() {
    ByteBuf all = Unpooled.buffer();
    for (ByteBuf next = client.readOutbound(); next != null; next = client.readOutbound()) {
      all.writeBytes(next);
      next.release();
    }
    return all;
  }

  /** Until neither has anything for the other. */
  void exchangeAll() {
    exchangeAll(new ArrayDeque<>());
  }

  /** The same, and no task is left. */
  void exchangeAll(Queue<Runnable> tasks) {
    boolean moved;
    do {
      moved = false;
      for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
        task.run();
        server.runPendingTasks();
        moved = true;
      }
      for (ByteBuf next = client.readOutbound(); next != null; next = client.readOutbound()) {
        if (server.isOpen()) {
          server.writeInbound(next);
        } else {
          next.release();
        }
        moved = true;
      }
      server.runPendingTasks();
      for (ByteBuf next = server.readOutbound(); next != null; next = server.readOutbound()) {
        if (client.isOpen()) {
          client.writeInbound(next);
        } else {
          next.release();
        }
        moved = true;
      }
      client.runPendingTasks();
    } while (moved);
  }

  /** How many bytes, of which each is the one that is due. */
  int receivedByClient() {
    for (ByteBuf next = client.readInbound(); next != null; next = client.readInbound()) {
      while (next.isReadable()) {
        assertThat(next.readUnsignedByte()).isEqualTo((short) (receivedBytes++ % 251));
      }
      next.release();
    }
    return receivedBytes;
  }

  void assertIsCutOff() {
    assertThat(server.isOpen()).isFalse();
    assertThat(told)
        .hasSize(1)
        .first()
        .satisfiesAnyOf(
            failure -> assertThat(failure).isInstanceOf(SSLException.class),
            failure -> assertThat(failure).hasCauseInstanceOf(SSLException.class));
  }

  /** Where there was one the channel has ended, not as TLS does, and a handler has heard why. */
  boolean hasEndedWithoutFailure() {
    if (allocator.disarm() == null) {
      assertThat(told).isEmpty();
      return true;
    }
    assertThat(server.isOpen()).isFalse();
    try {
      server.checkException();
    } catch (Throwable afterTheHandlersHadGone) {
      told.add(afterTheHandlersHadGone);
    }
    assertThat(clientTls.sslCloseFuture().isSuccess()).isFalse();
    assertThat(told).isNotEmpty();
    assertThat(told.getFirst())
        .satisfiesAnyOf(
            failure -> assertThat(failure).isInstanceOf(OutOfMemoryError.class),
            failure -> assertThat(failure).hasCauseInstanceOf(OutOfMemoryError.class));
    return false;
  }

  @Override
  public void close() {
    server.finishAndReleaseAll();
    client.finishAndReleaseAll();
    ReferenceCountUtil.release(context);
    assertThat(pool.liveBlockBytes()).isZero();
    pool.close();
  }

  /** Bytes of which each tells its place. */
  static ByteBuf numbers(int from, int count) {
    return numbers(Unpooled.directBuffer(count), from, count);
  }

  private static ByteBuf numbers(ByteBuf buffer, int from, int count) {
    for (int i = from; i < from + count; i++) {
      buffer.writeByte(i % 251);
    }
    return buffer;
  }
}
