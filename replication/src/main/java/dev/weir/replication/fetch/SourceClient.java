package dev.weir.replication.fetch;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.netty.WeirAllocator;
import dev.weir.replication.net.Loops;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Makes connections to one source, with event loops and a pool of its own. Any thread. */
final class SourceClient implements AutoCloseable {
  /** What a connection may hold at most: a receive buffer, and records of TLS in parts. */
  static final int CONNECTION_BYTES = 1 << 20;

  /** Stays in the caches of a processor between the socket, the checksum and the file. */
  private static final int RECEIVE_BYTES = 256 << 10;

  private static final int MOST_CONNECT_MILLIS = 10_000;
  private static final int MOST_HEAD_BYTES = 8 << 10;

  private final FetchOptions options;
  private final Pool pool;
  private final WeirAllocator allocator;
  private final Loops loops;

  /**
   * Makes the pool, within the budget.
   *
   * @throws FetchException when the budget is too small for the connections
   */
  SourceClient(FetchOptions options) throws FetchException {
    this.options = options;
    long needed = (long) CONNECTION_BYTES * (options.connections() + 1);
    if (options.budgetBytes() < needed) {
      throw FetchException.refused(
          "%d connections need %,d bytes, and --budget is %,d: give it more, or use fewer"
              .formatted(options.connections(), needed, options.budgetBytes()));
    }
    pool = Pool.create(PoolOptions.withLimit(options.budgetBytes()).withName("replicate-fetch"));
    allocator = new WeirAllocator(pool);
    loops =
        new Loops(
            "weir-fetch",
            Math.min(options.connections(), Runtime.getRuntime().availableProcessors()));
  }

  /**
   * Connects.
   *
   * @param done gets the connection when it can be used, or what it failed with
   */
  void connect(BiConsumer<SourceConnection, @Nullable Throwable> done) {
    String host = options.source().getHostString();
    int port = options.source().getPort();
    SourceConnection connection =
        new SourceConnection(host + ":" + port, options.rate(), options.progressLimit());
    SslContext tls = options.tls();
    new Bootstrap()
        .group(loops.group())
        .channel(loops.clients())
        .option(ChannelOption.ALLOCATOR, allocator)
        .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(RECEIVE_BYTES))
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, MOST_CONNECT_MILLIS)
        .option(ChannelOption.TCP_NODELAY, true)
        .handler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
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
        .connect(options.source())
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

  /** A buffer for what is read from the disk, which the caller releases. */
  ByteBuf buffer() {
    return allocator.directBuffer(RECEIVE_BYTES);
  }

  long peakBytes() {
    return pool.peakResidentBytes();
  }

  long liveBytes() {
    return pool.liveBlockBytes();
  }

  @Override
  public void close() {
    loops.close();
    allocator.close();
    pool.close();
  }
}
