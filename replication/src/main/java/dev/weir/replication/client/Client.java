package dev.weir.replication.client;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.netty.WeirAllocator;
import dev.weir.replication.client.Exchange.Ending;
import dev.weir.replication.net.Loops;
import dev.weir.replication.net.RateLimit;
import dev.weir.replication.send.BodySender;
import dev.weir.replication.transfer.TransferException;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Makes connections to servers, with event loops and a pool of its own. Any thread. */
public final class Client implements AutoCloseable {
  /** What a connection may hold at most: a receive buffer, and records of TLS in parts. */
  public static final int CONNECTION_BYTES = 1 << 20;

  /** Stays in the caches of a processor between the socket, the checksum and the file. */
  private static final int RECEIVE_BYTES = 256 << 10;

  private static final int MOST_CONNECT_MILLIS = 10_000;
  private static final int MOST_HEAD_BYTES = 8 << 10;

  private static final WriteBufferWaterMark QUEUED =
      new WriteBufferWaterMark(BodySender.PIECE_BYTES, 2 * BodySender.PIECE_BYTES);

  private final RateLimit rate;
  private final Duration progressLimit;
  private final Pool pool;
  private final WeirAllocator allocator;
  private final Loops loops;

  /**
   * Makes the pool, within the budget.
   *
   * @param name of the pool and of the threads
   * @param progressLimit a server that moves nothing for so long is left
   * @throws TransferException when the budget is too small for the connections
   */
  public Client(
      String name, int connections, long budgetBytes, RateLimit rate, Duration progressLimit)
      throws TransferException {
    this.rate = rate;
    this.progressLimit = progressLimit;
    long needed = (long) CONNECTION_BYTES * (connections + 1);
    if (budgetBytes < needed) {
      throw TransferException.refused(
          "%d connections need %,d bytes, and --budget is %,d: give it more, or use fewer"
              .formatted(connections, needed, budgetBytes));
    }
    pool = Pool.create(PoolOptions.withLimit(budgetBytes).withName("replicate-" + name));
    allocator = new WeirAllocator(pool);
    loops =
        new Loops(
            "weir-" + name, Math.min(connections, Runtime.getRuntime().availableProcessors()));
  }

  /**
   * Connects.
   *
   * @param done gets the connection when it can be used, or what it failed with
   */
  public void connect(Peer peer, BiConsumer<Connection, @Nullable Throwable> done) {
    String host = peer.address().getHostString();
    int port = peer.address().getPort();
    SslContext tls = peer.tls();
    Connection connection =
        new Connection(peer.toString(), rate, progressLimit, /* zeroCopy= */ tls == null);
    new Bootstrap()
        .group(loops.group())
        .channel(loops.clients())
        .option(ChannelOption.ALLOCATOR, allocator)
        .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(RECEIVE_BYTES))
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, MOST_CONNECT_MILLIS)
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.WRITE_BUFFER_WATER_MARK, QUEUED)
        .handler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                loops.own(channel);
                if (tls != null) {
                  channel.pipeline().addLast(tls.newHandler(channel.alloc(), host, port));
                }
                channel
                    .pipeline()
                    .addLast(
                        new HttpClientCodec(
                            new HttpDecoderConfig()
                                .setMaxInitialLineLength(MOST_HEAD_BYTES)
                                .setMaxHeaderSize(MOST_HEAD_BYTES)
                                .setMaxChunkSize(RECEIVE_BYTES),
                            HttpClientCodec.DEFAULT_PARSE_HTTP_AFTER_CONNECT_REQUEST,
                            HttpClientCodec.DEFAULT_FAIL_ON_MISSING_RESPONSE),
                        connection);
              }
            })
        .connect(peer.address())
        .addListener(
            (ChannelFutureListener)
                connected -> {
                  SslHandler handler = connected.channel().pipeline().get(SslHandler.class);
                  if (!connected.isSuccess() || handler == null) {
                    done.accept(connection, connected.cause());
                  } else {
                    handler
                        .handshakeFuture()
                        .addListener(shaken -> done.accept(connection, shaken.cause()));
                  }
                });
  }

  /**
   * Runs one exchange over an idle or a new connection, and waits for its end. For the peer's
   * thread.
   *
   * @param exchange makes it, with what it tells of its end
   */
  public Ending ask(Peer peer, Function<Consumer<Ending>, Exchange> exchange)
      throws InterruptedException {
    CompletableFuture<Ending> end = new CompletableFuture<>();
    Connection idle = peer.nextIdle();
    Connection[] used = {idle};
    if (idle != null) {
      idle.begin(exchange.apply(end::complete));
    } else {
      connect(
          peer,
          (connection, failure) -> {
            used[0] = connection;
            if (failure == null) {
              connection.begin(exchange.apply(end::complete));
            } else {
              end.complete(new Ending.Lost(failure));
            }
          });
    }
    try {
      Ending ending = end.get();
      if (ending instanceof Ending.Whole || ending instanceof Ending.Other) {
        peer.keep(used[0]);
      }
      return ending;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Waits. */
  public static void pause(long nanos) throws InterruptedException {
    try {
      new CompletableFuture<Void>().get(nanos, TimeUnit.NANOSECONDS);
    } catch (TimeoutException | ExecutionException over) {
      // As wanted.
    }
  }

  /** A buffer for what is read from the disk, which the caller releases. */
  public ByteBuf buffer() {
    return allocator.directBuffer(RECEIVE_BYTES);
  }

  /** The most buffer memory that was ever resident. */
  public long peakBytes() {
    return pool.peakResidentBytes();
  }

  @Override
  public void close() {
    loops.close();
    allocator.close();
    pool.close();
  }
}
