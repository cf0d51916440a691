package dev.weir.lab.slowclients;

import dev.weir.lab.child.ParentLines;
import dev.weir.lab.load.RandomBody;
import dev.weir.lab.report.JsonLines;
import dev.weir.lab.service.HoldThenAnswer;
import dev.weir.lab.subject.AllocatorUnderTest;
import dev.weir.lab.subject.MemorySampler;
import dev.weir.lab.subject.Subject;
import dev.weir.netty.WeirAllocator;
import dev.weir.netty.flow.Admission;
import dev.weir.netty.http.AggregatorOptions;
import dev.weir.netty.http.BudgetedHttpAggregator;
import dev.weir.netty.write.WriteGate;
import dev.weir.netty.write.WriteGateOptions;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.stream.ChunkedWriteHandler;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The process under test: holds uploads whole, sends downloads, answers small requests, on one
 * allocator, and measures its own memory. Says its port, serves until the parent says {@code
 * finish}, waits until the connections are gone, says what it measured, and ends.
 */
public final class SlowClientsServer {
  /** What the parent says when every client is done. */
  static final String FINISH = "finish";

  /** Determines the bytes of all bodies. */
  static final long BODY_SEED = 7;

  private static final long CLOSE_SECONDS = 10;

  /** Longer than any run: the scenario asks what gets through, not who gives up. */
  private static final Duration ADMISSION_DEADLINE = Duration.ofMinutes(30);

  /** What the kernel may keep for a slow peer, which it would let grow to megabytes. */
  private static final int SOCKET_BYTES = 64 << 10;

  /** The part of the limit that may wait to be sent: a 16th. */
  private static final int QUEUED_SHARE = 16;

  private final SlowClientsPlan plan;
  private final AllocatorUnderTest subject;
  private final HoldThenAnswer uploads;
  private final SmallAndDownloads others;
  private final @Nullable WriteGate gate;
  private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());
  private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);

  private SlowClientsServer(SlowClientsPlan plan, AllocatorUnderTest subject) {
    this.plan = plan;
    this.subject = subject;
    uploads = new HoldThenAnswer(plan.holdMillis());
    gate =
        subject.allocator() instanceof WeirAllocator
            ? new WriteGate(
                WriteGateOptions.within(plan.limitBytes() / QUEUED_SHARE)
                    .withChannelBytes(SOCKET_BYTES))
            : null;
    Downloads downloads =
        gate != null
            ? Downloads.PULLED
            : subject.admission().isPresent() ? Downloads.CHUNKED : Downloads.WHOLE;
    others = new SmallAndDownloads(downloads, new RandomBody(BODY_SEED, plan.largeBytes()));
  }

  /** Runs with the label of a {@link Subject} and a plan in JSON. */
  public static void main(String[] arguments) throws Exception {
    SlowClientsPlan plan = SlowClientsPlan.of(JsonLines.parse(arguments[1]));
    AllocatorUnderTest subject =
        Subject.of(arguments[0]).create(plan.limitBytes(), plan.gateBytes());
    new SlowClientsServer(plan, subject).run(new ParentLines());
    System.exit(0);
  }

  private void run(ParentLines parent) throws IOException, InterruptedException {
    Channel listener = listen();
    try (MemorySampler sampler = MemorySampler.start(subject)) {
      int port = ((InetSocketAddress) listener.localAddress()).getPort();
      parent.say(JsonLines.line(Map.of("port", port)));
      parent.await(FINISH);
      connections.newCloseFuture().await(CLOSE_SECONDS, TimeUnit.SECONDS);
      parent.say(JsonLines.line(measured(sampler)));
    }
  }

  private Channel listen() throws InterruptedException {
    return new ServerBootstrap()
        .group(loops)
        .channel(NioServerSocketChannel.class)
        .option(ChannelOption.SO_BACKLOG, 2 * plan.clients())
        .option(ChannelOption.ALLOCATOR, subject.allocator())
        .childOption(ChannelOption.ALLOCATOR, subject.allocator())
        .childOption(ChannelOption.SO_SNDBUF, SOCKET_BYTES)
        .childHandler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                connections.add(channel);
                fill(channel.pipeline());
              }
            })
        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
        .sync()
        .channel();
  }

  private void fill(ChannelPipeline pipeline) {
    if (gate != null) {
      pipeline.addLast(gate.newHandler());
    }
    pipeline.addLast(new HttpServerCodec(), aggregator());
    if (gate == null && subject.admission().isPresent()) {
      pipeline.addLast(new ChunkedWriteHandler());
    }
    pipeline.addLast(others, uploads);
  }

  private ChannelHandler aggregator() {
    int largest = (int) plan.largeBytes();
    if (subject.admission().isEmpty()) {
      return new HttpObjectAggregator(largest);
    }
    Admission admission = subject.admission().get();
    AggregatorOptions options = AggregatorOptions.upTo(largest);
    return new BudgetedHttpAggregator(admission, options.withAdmissionDeadline(ADMISSION_DEADLINE));
  }

  private Map<String, @Nullable Object> measured(MemorySampler sampler) throws IOException {
    sampler.sample();
    Map<String, @Nullable Object> row = new HashMap<>();
    row.put("liveBytes", subject.liveBytes().isPresent() ? subject.liveBytes().getAsLong() : null);
    row.put("peakResidentBytes", sampler.peakResidentBytes());
    row.put("peakRssBytes", sampler.peakRssBytes());
    row.put("peakExcessBytes", subject.addresses().isPresent() ? sampler.peakExcessBytes() : null);
    row.put("peakProcessGrowthBytes", sampler.peakGrowthBytes());
    row.put("samples", sampler.samples());
    Throwable failure = uploads.firstFailure();
    row.put("firstFailure", failure == null ? null : failure.toString());
    return row;
  }
}
