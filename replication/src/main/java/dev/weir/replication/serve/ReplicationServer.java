package dev.weir.replication.serve;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.netty.WeirAllocator;
import dev.weir.replication.imports.ImportFigures;
import dev.weir.replication.imports.Imports;
import dev.weir.replication.net.Loops;
import dev.weir.replication.send.BodySender;
import dev.weir.replication.source.Container;
import dev.weir.replication.source.Origin;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Serves containers over HTTP/1.1, with event loops and a pool of its own.
 *
 * <p>In the clear, bytes go from files to sockets by {@code sendfile} and touch no buffer. With TLS
 * they pass through pooled pieces, one at a time for each connection.
 */
public final class ReplicationServer implements AutoCloseable {
  /** What a connection may hold at most, with TLS: queued pieces, and records of them. */
  static final int CONNECTION_BYTES = 1 << 20;

  /** The buffers that files are read with for their checksums, and bodies. */
  static final int READ_BYTES = 256 << 10;

  private static final int LEAST_READ_BYTES = 8 << 10;

  /** How often there is a look at what nobody uses any more. */
  private static final long EXPIRY_SECONDS = 30;

  private static final WriteBufferWaterMark QUEUED =
      new WriteBufferWaterMark(BodySender.PIECE_BYTES, 2 * BodySender.PIECE_BYTES);

  private final Pool pool;
  private final WeirAllocator allocator;
  private final Loops loops;
  private final ExecutorService builder;
  private final ServeFigures figures;
  private final Collection<Container> containers;
  private final @Nullable Imports imports;
  private final Channel listener;

  private ReplicationServer(
      Pool pool,
      WeirAllocator allocator,
      Loops loops,
      ExecutorService builder,
      ServeFigures figures,
      Collection<Container> containers,
      @Nullable Imports imports,
      Channel listener) {
    this.pool = pool;
    this.allocator = allocator;
    this.loops = loops;
    this.builder = builder;
    this.figures = figures;
    this.containers = containers;
    this.imports = imports;
    this.listener = listener;
  }

  /**
   * Starts to listen.
   *
   * @throws BindException when the address cannot be bound
   */
  public static ReplicationServer start(ServeOptions options) throws IOException {
    return start(options, Map.of(), Runtime.getRuntime().availableProcessors());
  }

  /**
   * Starts to listen.
   *
   * @param others what is offered beside the options' directories, by name
   * @param eventLoops threads that send
   * @throws BindException when the address cannot be bound
   */
  public static ReplicationServer start(
      ServeOptions options, Map<String, Origin> others, int eventLoops) throws IOException {
    Map<String, Origin> origins = new TreeMap<>(others);
    options.containers().forEach((name, directory) -> origins.put(name, Origin.of(directory)));
    Map<String, Container> containers = new TreeMap<>();
    for (var offered : origins.entrySet()) {
      String name = offered.getKey();
      containers.put(name, new Container(name, offered.getValue(), options.folder().resolve(name)));
    }
    Pool pool =
        Pool.create(PoolOptions.withLimit(options.budgetBytes()).withName("replicate-serve"));
    WeirAllocator allocator = new WeirAllocator(pool);
    Loops loops = new Loops("weir-replicate", eventLoops);
    ExecutorService builder =
        Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("weir-manifests").factory());
    ServeFigures figures = new ServeFigures();
    int places = (int) Math.max(1, options.budgetBytes() / CONNECTION_BYTES - 1);
    Container.Reading reading = build -> withBuffer(allocator, build);
    Imports imports =
        options.imports() == null
            ? null
            : new Imports(options.imports(), figures.importPlaces(places), reading);
    Services services =
        new Services(
            containers,
            builder,
            reading,
            options.rate(),
            options.progressLimit(),
            places,
            figures,
            new ServeMetrics(figures, imports, options.rate(), pool),
            imports,
            options.clients());
    try {
      Channel listener =
          new ServerBootstrap()
              .group(loops.group())
              .channel(loops.listeners())
              .option(ChannelOption.SO_BACKLOG, 1024)
              .option(ChannelOption.SO_REUSEADDR, true)
              .childOption(ChannelOption.ALLOCATOR, allocator)
              .childOption(ChannelOption.AUTO_READ, false)
              .childOption(ChannelOption.TCP_NODELAY, true)
              .childOption(
                  ChannelOption.RECVBUF_ALLOCATOR,
                  new AdaptiveRecvByteBufAllocator(LEAST_READ_BYTES, LEAST_READ_BYTES, READ_BYTES)
                      .maxMessagesPerRead(1))
              .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, QUEUED)
              .childHandler(new ConnectionInitializer(services, loops, options.tls()))
              .bind(options.address())
              .syncUninterruptibly()
              .channel();
      var _ =
          loops
              .group()
              .scheduleWithFixedDelay(
                  () -> Thread.startVirtualThread(() -> expire(containers.values())),
                  EXPIRY_SECONDS,
                  EXPIRY_SECONDS,
                  TimeUnit.SECONDS);
      return new ReplicationServer(
          pool, allocator, loops, builder, figures, containers.values(), imports, listener);
    } catch (Throwable e) {
      loops.close();
      if (imports != null) {
        imports.close();
      }
      builder.shutdownNow();
      allocator.close();
      pool.close();
      // Netty throws what the bind failed with, checked or not, from a method that declares
      // nothing.
      if (e instanceof IOException refused) {
        BindException failed = new BindException(String.valueOf(refused.getMessage()));
        failed.initCause(refused);
        throw failed;
      }
      throw e;
    }
  }

  private static void expire(Collection<Container> containers) {
    containers.forEach(Container::expire);
  }

  private static void withBuffer(WeirAllocator allocator, Consumer<ByteBuffer> build) {
    ByteBuf buffer = allocator.directBuffer(READ_BYTES);
    try {
      build.accept(buffer.nioBuffer(0, READ_BYTES));
    } finally {
      buffer.release();
    }
  }

  /** Where the server listens, with the port that it was given. */
  public InetSocketAddress address() {
    return (InetSocketAddress) listener.localAddress();
  }

  /** What it has done so far. */
  public ServeFigures figures() {
    return figures;
  }

  /** Manifests that are kept, with what they name, of all containers. */
  public int snapshots() {
    return containers.stream().mapToInt(Container::snapshots).sum();
  }

  /** What has come by imports; null where they are off. */
  public @Nullable ImportFigures importFigures() {
    return imports == null ? null : imports.figures();
  }

  /** The most buffer memory that was ever resident. */
  public long peakResidentBytes() {
    return pool.peakResidentBytes();
  }

  /** The sizes of all live buffers; 0 when nothing is under way. */
  public long liveBytes() {
    return pool.liveBlockBytes();
  }

  @Override
  public void close() {
    listener.close().awaitUninterruptibly();
    loops.close();
    if (imports != null) {
      imports.close();
    }
    builder.shutdownNow();
    containers.forEach(Container::close);
    allocator.close();
    pool.close();
  }
}
