package dev.weir.server;

import dev.weir.compression.Compression;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.jmx.PoolBean;
import dev.weir.memory.profile.LeakWatch;
import dev.weir.replication.serve.ReplicationServer;
import dev.weir.server.console.Console;
import dev.weir.server.console.ConsoleAccess;
import dev.weir.server.http.Buffers;
import dev.weir.server.http.HttpServer;
import dev.weir.server.metrics.NodeMetrics;
import dev.weir.server.tls.Tls;
import dev.weir.server.tls.TlsCredentials;
import dev.weir.server.tls.TlsEngine;
import dev.weir.server.tls.TlsFileException;
import dev.weir.streams.Disk;
import dev.weir.streams.StoreOptions;
import dev.weir.streams.StreamStore;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A running node: buffers, a store and a server over it. */
public final class Node implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(Node.class.getName());

  private final BufferMemory memory;
  private final StreamMemory streams;
  private final StreamStore store;
  private final HttpServer server;
  private final Console console;
  private final PoolBean bean;
  private final @Nullable Compression compression;
  private final @Nullable Tls tls;
  private final @Nullable ReplicationServer replication;

  private Node(
      BufferMemory memory,
      StreamMemory streams,
      StreamStore store,
      HttpServer server,
      Console console,
      PoolBean bean,
      @Nullable Compression compression,
      @Nullable Tls tls,
      @Nullable ReplicationServer replication) {
    this.replication = replication;
    this.tls = tls;
    this.compression = compression;
    this.bean = bean;
    this.console = console;
    this.memory = memory;
    this.streams = streams;
    this.store = store;
    this.server = server;
  }

  /**
   * Opens the data directory and starts to listen.
   *
   * @param budgetBytes the most buffer memory that may be resident
   * @throws java.net.BindException when the port is in use
   * @throws dev.weir.streams.DataDirectoryException when the directory cannot be used
   */
  public static Node start(InetSocketAddress address, Path data, long budgetBytes)
      throws IOException {
    return start(address, data, budgetBytes, NodeParts.forBudget(budgetBytes));
  }

  /**
   * How the node encrypts.
   *
   * @param handshakeTimeout the time that a client has for its handshake
   */
  record TlsSettings(TlsCredentials credentials, TlsEngine engine, Duration handshakeTimeout) {
    TlsSettings(TlsCredentials credentials, TlsEngine engine) {
      this(credentials, engine, Tls.DEFAULT_HANDSHAKE_TIMEOUT);
    }

    Tls open() throws IOException {
      try {
        return Tls.open(credentials, engine, handshakeTimeout);
      } catch (TlsFileException e) {
        throw new IOException(e.getMessage(), e);
      }
    }
  }

  /**
   * How the node shows itself.
   *
   * @param access who may look at the console
   * @param interval how often the console looks itself
   * @param bytesPerSample how many allocated bytes there are to a sample of the live profile; 0 for
   *     none
   * @param leakAge what is older and grows is suspected to be a leak
   */
  record ConsoleSettings(
      ConsoleAccess access, Duration interval, long bytesPerSample, Duration leakAge) {
    static final ConsoleSettings DEFAULT =
        new ConsoleSettings(ConsoleAccess.LOOPBACK, Duration.ofMillis(500));

    ConsoleSettings(ConsoleAccess access, Duration interval) {
      this(access, interval, PoolOptions.DEFAULT_BYTES_PER_SAMPLE, LeakWatch.DEFAULT_THRESHOLD);
    }
  }

  static Node start(InetSocketAddress address, Path data, long budgetBytes, NodeParts parts)
      throws IOException {
    Deque<AutoCloseable> opened = new ArrayDeque<>();
    try {
      return start(address, data, budgetBytes, parts, opened);
    } catch (Throwable failure) {
      opened.forEach(part -> closeAfter(failure, part));
      throw failure;
    }
  }

  /** Puts each part first into {@code opened} when it is there: parts are closed in that order. */
  private static Node start(
      InetSocketAddress address,
      Path data,
      long budgetBytes,
      NodeParts parts,
      Deque<AutoCloseable> opened)
      throws IOException {
    BufferMemory memory =
        BufferMemory.withBudget(budgetBytes, parts.console().bytesPerSample(), parts.hardening());
    opened.push(memory);
    Compression compression = parts.codings().open(memory.pool());
    if (compression != null) {
      opened.push(compression);
    }
    TlsSettings settings = parts.tls();
    Tls tls = settings == null ? null : settings.open();
    if (tls != null) {
      opened.push(tls);
    }
    StreamMemory streams = StreamMemory.in(memory.pool(), parts.storage());
    opened.push(streams);
    StreamStore store =
        recover(
            data,
            parts.disk(),
            parts.storage().options(memory.allocator()).with(streams.tail(), streams.blocks()));
    opened.push(store);
    LeakWatch leaks = new LeakWatch(parts.console().leakAge());
    NodeMetrics metrics = new NodeMetrics(store.stats(), store::streamCount, memory.figures(leaks));
    Console console =
        Console.start(
            memory.pool(),
            Map.of("openConnections", metrics::openConnections, "streams", store::streamCount),
            parts.console().access(),
            parts.console().interval().toMillis(),
            leaks);
    opened.push(console);
    HttpServer server =
        HttpServer.start(
            address,
            store,
            parts.buffers().apply(Buffers.of(memory.allocator())),
            parts.sockets(),
            parts.limits(),
            parts.access(),
            metrics,
            console,
            compression,
            tls);
    opened.push(server);
    ReplicationServer replication = null;
    if (parts.replication() != null) {
      StoreReplication.Started copies = StoreReplication.start(parts.replication(), store, data);
      replication = copies.server();
      opened.push(replication);
      metrics.replication(copies.figures());
    }
    PoolBean bean = PoolBean.register(memory.pool());
    return new Node(memory, streams, store, server, console, bean, compression, tls, replication);
  }

  private static StreamStore recover(Path data, Disk disk, StoreOptions options)
      throws IOException {
    long start = System.nanoTime();
    LOG.log(System.Logger.Level.INFO, "recovery begins: {0}", data);
    StreamStore store = StreamStore.open(data, disk, System::currentTimeMillis, options);
    LOG.log(
        System.Logger.Level.INFO,
        "recovery ends: {0} streams in {1} ms",
        store.streamCount(),
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
    return store;
  }

  private static void closeAfter(Throwable failure, AutoCloseable part) {
    try {
      part.close();
    } catch (Throwable another) {
      failure.addSuppressed(another);
    }
  }

  public InetSocketAddress address() {
    return server.address();
  }

  /** Where it offers what it has flushed; null where it does not. */
  @Nullable InetSocketAddress replicationAddress() {
    return replication == null ? null : replication.address();
  }

  /** Waits until a part of the node has ended without which it cannot go on. */
  void awaitLoss() throws InterruptedException {
    server.awaitLoss();
  }

  /**
   * Sizes of all live buffers but those of caches, arrays too; 0 when no connection has anything
   * under way.
   */
  long liveBufferBytes() {
    return memory.pool().liveBlockBytes()
        + memory.pool().rootBudget().heapBytes()
        - streams.chargedBytes();
  }

  /** Has all flushed that was acknowledged so far. */
  CompletableFuture<Void> flush() {
    return store.flush();
  }

  /** Gives up what rests for the next content; what is still held then is in use. */
  void destroyIdleContexts() {
    if (compression != null) {
      compression.destroyIdle(Long.MAX_VALUE);
    }
  }

  /** What contents are compressed in, and bodies decompressed: the memory of libraries too. */
  long contextBytes() {
    return compression == null ? 0 : compression.budget().chargedBytes();
  }

  /** The most buffer memory that was ever resident. */
  long peakResidentBytes() {
    return memory.pool().peakResidentBytes();
  }

  /**
   * Stops: no new connections, requests in progress end (or are cut off at the deadline), what was
   * acknowledged is on the disk already.
   *
   * @return whether every request ended in time
   */
  public boolean stop(Duration deadline) throws IOException {
    if (replication != null) {
      replication.close();
    }
    boolean drained = server.drain(deadline);
    console.close();
    bean.close();
    store.close();
    streams.close();
    if (tls != null) {
      tls.close();
    }
    if (compression != null) {
      compression.close();
    }
    memory.close();
    return drained;
  }

  @Override
  public void close() throws IOException {
    stop(Duration.ZERO);
  }
}
