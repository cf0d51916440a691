package dev.weir.objects.s3.http;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import software.amazon.awssdk.http.async.AsyncExecuteRequest;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;

/**
 * HTTP/1.1 for the SDK, over TLS for {@code https}. Connections are kept and used again. Names are
 * resolved by the JDK, which may hold an event loop for a moment: the loops are the client's own.
 */
public final class NettyHttpClient implements SdkAsyncHttpClient {
  private static final int THREADS = 2;
  private static final long CLOSE_SECONDS = 5;

  private final EventLoopGroup loops;
  private final ConnectionPool pool;
  private final AttemptRegistry attempts;

  /** Its threads start with the first request. */
  public NettyHttpClient(HttpLimits limits, ByteBufAllocator allocator, AttemptRegistry attempts) {
    this.loops =
        new MultiThreadIoEventLoopGroup(
            THREADS,
            new DefaultThreadFactory("weir-s3", /* daemon= */ true),
            NioIoHandler.newFactory());
    this.pool = new ConnectionPool(limits, allocator, loops);
    this.attempts = attempts;
  }

  /** Where short tasks may run later. */
  public ScheduledExecutorService scheduler() {
    return loops;
  }

  @Override
  public CompletableFuture<Void> execute(AsyncExecuteRequest request) {
    Attempt attempt = attempts.find(request.request());
    if (attempt == null) {
      attempt = new Attempt();
    }
    HttpExchange exchange = new HttpExchange(request, attempt);
    if (exchange.tryBegin()) {
      pool.run(exchange);
    } else {
      exchange.refuse(new IOException("the request was cancelled"));
    }
    return exchange.outcome();
  }

  @Override
  public String clientName() {
    return "WeirNetty";
  }

  /** Closes all connections, and waits for the threads. */
  @Override
  public void close() {
    pool.close();
    loops
        .shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS)
        .awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
  }
}
