package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.netty.TransportUnderTest;
import dev.weir.netty.WeirAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.handler.stream.ChunkedWriteHandler;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** A server whose channels have a write gate, and clients that read when they are told to. */
@Timeout(120)
abstract class SocketsWithWriteGate {
  static final int CHANNEL_BYTES = 256 << 10;
  static final long TOTAL_BYTES = 1 << 20;
  static final int MESSAGE_BYTES = 16 << 10;

  static final Duration LONG = Duration.ofMinutes(10);
  static final Duration SHORT = Duration.ofMillis(50);

  final Pool pool = Pool.create(PoolOptions.withLimit(64L << 20));
  final WeirAllocator allocator = new WeirAllocator(pool);
  private final TransportUnderTest transport;
  private final EventLoopGroup loops;
  private final BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
  final BlockingQueue<OutboundClosing> closings = new LinkedBlockingQueue<>();
  final List<Socket> clients = new ArrayList<>();
  private final List<Channel> channels = new ArrayList<>();
  private Channel listener;
  WriteGate gate;

  SocketsWithWriteGate(TransportUnderTest transport) {
    this.transport = transport;
    loops = transport.newLoops(2);
  }

  final void listen(Duration slowTime) {
    gate =
        new WriteGate(
            new WriteGateOptions(CHANNEL_BYTES, TOTAL_BYTES, CHANNEL_BYTES / 4, slowTime));
    listener =
        transport
            .server(loops)
            .childOption(ChannelOption.ALLOCATOR, allocator)
            .childOption(ChannelOption.SO_SNDBUF, 16 << 10)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel
                        .pipeline()
                        .addLast(
                            gate.newHandler(),
                            new ChunkedWriteHandler(),
                            new ChannelInboundHandlerAdapter() {
                              @Override
                              public void channelActive(ChannelHandlerContext ctx) {
                                accepted.add(ctx.channel());
                              }

                              @Override
                              public void userEventTriggered(
                                  ChannelHandlerContext ctx, Object event) {
                                if (event instanceof OutboundClosing closing) {
                                  closings.add(closing);
                                }
                              }
                            });
                  }
                })
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .syncUninterruptibly()
            .channel();
  }

  @AfterEach
  void nothingIsHeld() throws Exception {
    for (Socket client : clients) {
      client.close();
    }
    for (Channel channel : channels) {
      // An event loop that is told to end at once may forget the channels it has.
      channel.close().sync();
    }
    listener.close().sync();
    loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    assertThat(gate.queuedBytes()).isZero();
    assertThat(pool.liveBlockBytes()).isZero();
    allocator.close();
    pool.close();
  }

  /** Ends with the test's timeout at the latest. */
  static void spinWhile(BooleanSupplier condition) {
    while (condition.getAsBoolean() && !Thread.currentThread().isInterrupted()) {
      Thread.onSpinWait();
    }
  }

  final ByteBuf message() {
    return allocator.directBuffer(MESSAGE_BYTES).writeZero(MESSAGE_BYTES);
  }

  /** A channel of the server; its client is the last of the clients. */
  final Channel connect() throws Exception {
    InetSocketAddress address = (InetSocketAddress) listener.localAddress();
    Socket client = new Socket();
    client.setReceiveBufferSize(16 << 10);
    client.setSoTimeout(60_000);
    client.connect(address);
    clients.add(client);
    Channel channel = accepted.take();
    channels.add(channel);
    return channel;
  }

  /** Reads so many bytes at the last client. */
  final long read(long bytes) throws IOException {
    InputStream input = clients.getLast().getInputStream();
    byte[] chunk = new byte[64 << 10];
    long done = 0;
    while (done < bytes) {
      int read = input.read(chunk, 0, (int) Math.min(chunk.length, bytes - done));
      if (read < 0) {
        return done;
      }
      done += read;
    }
    return done;
  }
}
