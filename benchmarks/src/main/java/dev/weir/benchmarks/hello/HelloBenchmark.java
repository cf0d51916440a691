package dev.weir.benchmarks.hello;

import dev.weir.benchmarks.peer.Peer;
import dev.weir.benchmarks.peer.PeerAllocator;
import dev.weir.memory.Pool;
import dev.weir.netty.flow.PoolHeadroom;
import dev.weir.netty.flow.ReadGate;
import dev.weir.netty.write.WriteGate;
import dev.weir.netty.write.WriteGateOptions;
import io.netty.channel.ChannelHandler;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Requests for a line of text, from a connection of each of JMH's threads to a server of two event
 * loops in the same JVM. Weir's server has its gates in front of the codec, as a service that wants
 * to be bounded does.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class HelloBenchmark {
  private static final int LOOPS = 2;
  private static final int REQUESTS = 16;
  private static final long MAX_QUEUED_BYTES = 64 << 20;

  /** Made by JMH. */
  public HelloBenchmark() {}

  /** The server. */
  @State(Scope.Benchmark)
  public static class Service {
    /** A {@link Peer}'s label. */
    @Param("weir")
    public String allocator;

    /** How many requests go out before the first answer is awaited: 1 to 16, a divisor of 16. */
    @Param("16")
    public int pipelined;

    private HelloServer server;

    /** Made by JMH. */
    public Service() {}

    /** Starts it. */
    @Setup
    public void start() {
      PeerAllocator used = Peer.of(allocator).open();
      server = new HelloServer(LOOPS, used.allocator(), gates(used));
    }

    /** What is in front of the codec of each connection: Weir's gates where a pool is, or none. */
    static Supplier<ChannelHandler[]> gates(PeerAllocator allocator) {
      return allocator.pool().map(Service::gates).orElse(() -> new ChannelHandler[0]);
    }

    private static Supplier<ChannelHandler[]> gates(Pool pool) {
      ReadGate reads = new ReadGate(new PoolHeadroom(pool));
      WriteGate writes = new WriteGate(WriteGateOptions.within(MAX_QUEUED_BYTES));
      return () -> new ChannelHandler[] {reads.newHandler(), writes.newHandler()};
    }

    /** Ends it. */
    @TearDown
    public void stop() {
      server.close();
    }
  }

  /** A connection. */
  @State(Scope.Thread)
  public static class Connection {
    private HelloClient client;

    /** Made by JMH. */
    public Connection() {}

    /**
     * Connects.
     *
     * @throws IOException if that fails
     */
    @Setup
    public void open(Service service) throws IOException {
      client = new HelloClient(service.server.address(), service.pipelined);
      client.greet();
    }

    /**
     * Closes it.
     *
     * @throws IOException if that fails
     */
    @TearDown
    public void close() throws IOException {
      client.close();
    }
  }

  /**
   * Sixteen requests.
   *
   * @throws IOException if the connection breaks
   */
  @Benchmark
  @OperationsPerInvocation(REQUESTS)
  public void greet(Service service, Connection connection) throws IOException {
    for (int sent = 0; sent < REQUESTS; sent += service.pipelined) {
      connection.client.greet();
    }
  }
}
