package dev.weir.lab.httpburst;

import dev.weir.lab.child.ParentLines;
import dev.weir.lab.report.JsonLines;
import dev.weir.lab.service.HoldThenAnswer;
import dev.weir.lab.subject.AllocatorUnderTest;
import dev.weir.lab.subject.MemorySampler;
import dev.weir.lab.subject.Subject;
import dev.weir.netty.flow.Admission;
import dev.weir.netty.http.AggregatorOptions;
import dev.weir.netty.http.BudgetedHttpAggregator;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The process under test: an HTTP server that holds each body whole, on one allocator, and measures
 * its own memory. Says its port, serves until the parent says {@code finish}, waits until the
 * connections are gone and for the idle time, says what it measured, and ends.
 */
public final class HttpBurstServer {
  /** What the parent says when every client is done. */
  static final String FINISH = "finish";

  private static final long CLOSE_SECONDS = 10;

  /** Longer than any burst: the scenario asks what gets through, not who gives up. */
  private static final Duration ADMISSION_DEADLINE = Duration.ofMinutes(30);

  private final HttpBurstPlan plan;
  private final AllocatorUnderTest subject;
  private final HoldThenAnswer service;
  private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());
  private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);

  private HttpBurstServer(HttpBurstPlan plan, AllocatorUnderTest subject) {
    this.plan = plan;
    this.subject = subject;
    this.service = new HoldThenAnswer(plan.holdMillis());
  }

  /** Runs with the label of a {@link Subject} and a plan in JSON. */
  public static void main(String[] arguments) throws Exception {
    HttpBurstPlan plan = HttpBurstPlan.of(JsonLines.parse(arguments[1]));
    AllocatorUnderTest subject =
        Subject.of(arguments[0]).create(plan.limitBytes(), plan.gateBytes());
    new HttpBurstServer(plan, subject).run(new ParentLines());
    System.exit(0);
  }

  private void run(ParentLines parent) throws IOException, InterruptedException {
    Channel listener = listen();
    try (MemorySampler sampler = MemorySampler.start(subject)) {
      int port = ((InetSocketAddress) listener.localAddress()).getPort();
      parent.say(JsonLines.line(Map.of("port", port)));
      parent.await(FINISH);
      connections.newCloseFuture().await(CLOSE_SECONDS, TimeUnit.SECONDS);
      loops.schedule(() -> {}, plan.idleMillis(), TimeUnit.MILLISECONDS).sync();
      parent.say(JsonLines.line(measured(sampler)));
    }
  }

  private Channel listen() throws InterruptedException {
    return new ServerBootstrap()
        .group(loops)
        .channel(NioServerSocketChannel.class)
        .option(ChannelOption.SO_BACKLOG, plan.atOnce())
        .option(ChannelOption.ALLOCATOR, subject.allocator())
        .childOption(ChannelOption.ALLOCATOR, subject.allocator())
        .childHandler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                connections.add(channel);
                channel.pipeline().addLast(new HttpServerCodec(), aggregator(), service);
              }
            })
        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
        .sync()
        .channel();
  }

  private ChannelHandler aggregator() {
    if (subject.admission().isEmpty()) {
      return new HttpObjectAggregator(plan.bodyBytes());
    }
    Admission admission = subject.admission().get();
    AggregatorOptions options = AggregatorOptions.upTo(plan.bodyBytes());
    return new BudgetedHttpAggregator(admission, options.withAdmissionDeadline(ADMISSION_DEADLINE));
  }

  private Map<String, @Nullable Object> measured(MemorySampler sampler) throws IOException {
    long idleRssBytes = sampler.sample();
    Map<String, @Nullable Object> row = new LinkedHashMap<>();
    row.put("liveBytes", subject.liveBytes().isPresent() ? subject.liveBytes().getAsLong() : null);
    row.put("peakResidentBytes", sampler.peakResidentBytes());
    row.put("peakRssBytes", sampler.peakRssBytes());
    row.put("idleResidentBytes", subject.residentBytes().orElseThrow());
    row.put("idleRssBytes", idleRssBytes);
    row.put("peakExcessBytes", subject.addresses().isPresent() ? sampler.peakExcessBytes() : null);
    row.put("peakProcessGrowthBytes", sampler.peakGrowthBytes());
    row.put("idleProcessGrowthBytes", sampler.growthBytes());
    row.put("samples", sampler.samples());
    row.put("firstFailure", text(service.firstFailure()));
    return row;
  }

  private static @Nullable String text(@Nullable Throwable failure) {
    return failure == null ? null : failure.toString();
  }
}
