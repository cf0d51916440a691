package dev.weir.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Block;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.profile.LeakSuspect;
import dev.weir.memory.profile.LeakWatch;
import dev.weir.netty.flow.Admission;
import dev.weir.netty.flow.Http2Windows;
import dev.weir.netty.flow.PoolHeadroom;
import dev.weir.netty.flow.ReadCompactor;
import dev.weir.netty.flow.ReadGate;
import dev.weir.netty.flow.WeirAdmission;
import dev.weir.netty.http.AggregatorOptions;
import dev.weir.netty.http.BudgetedHttpAggregator;
import dev.weir.netty.http.Spill;
import dev.weir.netty.inbound.UnbrokenInput;
import dev.weir.netty.transport.WeirEpollIoHandler;
import dev.weir.netty.write.FailStopTls;
import dev.weir.netty.write.Owned;
import dev.weir.netty.write.WriteGate;
import dev.weir.netty.write.WriteGateOptions;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The lines of the guide compile and do what it says: they stand here word for word. */
class GuideTest {
  private static final Path GUIDE = Path.of("../docs/guide/netty.md");
  private static final Path THIS_FILE = Path.of("src/test/java/dev/weir/netty/GuideTest.java");
  private static final Pattern CODE = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

  @Test
  void bootstrap() {
    WeirAllocator allocator = WeirAllocator.withLimit(256L << 20);
    ServerBootstrap server =
        new ServerBootstrap()
            .option(ChannelOption.ALLOCATOR, allocator)
            .childOption(ChannelOption.ALLOCATOR, allocator);
    assertThat(server.config().options()).containsEntry(ChannelOption.ALLOCATOR, allocator);
    allocator.close();
  }

  @Test
  @EnabledOnOs(value = OS.LINUX, architectures = "amd64", disabledReason = "epoll is Linux only")
  void epoll() throws Exception {
    ServerBootstrap server = new ServerBootstrap();
    EventLoopGroup loops = new MultiThreadIoEventLoopGroup(WeirEpollIoHandler.newFactory());
    server.group(loops).channel(EpollServerSocketChannel.class);
    server.childHandler(new ChannelInboundHandlerAdapter());
    assertThat(server.bind(InetAddress.getLoopbackAddress(), 0).sync().isSuccess()).isTrue();
    loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  @Test
  void smallReads() {
    EmbeddedChannel channel = new EmbeddedChannel();
    ChannelPipeline pipeline = channel.pipeline();
    pipeline.addFirst(new ReadCompactor());
    assertThat(pipeline.first()).isInstanceOf(ReadCompactor.class);
    channel.finishAndReleaseAll();
  }

  @Test
  void leakWatch() {
    WeirAllocator allocator = WeirAllocator.withLimit(256L << 20);
    LeakWatch watch = new LeakWatch(LeakWatch.DEFAULT_THRESHOLD); // what is live for 30 s is old
    watch.read(allocator.pool().profile(), System.nanoTime()); // every watch.interval()
    for (LeakSuspect suspect : watch.suspects()) {
      System.out.println(
          suspect.growthBytesPerSecond() + " bytes/s more: " + suspect.stack().getFirst());
    }
    assertThat(watch.suspects()).isEmpty();
    allocator.close();
  }

  @Test
  void sharedPool() {
    Pool pool = Pool.create(PoolOptions.withLimit(256L << 20).withName("service"));
    WeirAllocator allocator = new WeirAllocator(pool);
    assertThat(allocator.pool()).isSameAs(pool);
    pool.close();
  }

  @Test
  void charging() {
    WeirAllocator allocator = WeirAllocator.withLimit(256L << 20);
    Budget uploads = allocator.pool().rootBudget().child("uploads", 64L << 20);
    ByteBufAllocator uploadBuffers = allocator.charging(uploads);
    ByteBuf body = uploadBuffers.directBuffer(1 << 20);
    assertThat(uploads.chargedBytes()).isEqualTo(1 << 20);
    body.release();
    assertThat(uploads.chargedBytes()).isZero();
    allocator.close();
  }

  @Test
  void ownBlocks() {
    WeirAllocator allocator = WeirAllocator.withLimit(256L << 20);
    Block block = allocator.pool().allocate(1 << 20);
    ByteBuf buffer = allocator.wrap(block, 0, 1 << 20);
    buffer.writeZero(1 << 20).release();
    assertThat(allocator.pool().liveBlockBytes()).isZero();
    allocator.close();
  }

  @Test
  void admissionBeforeBodies(@TempDir Path folder) throws IOException {
    WeirAllocator allocator = WeirAllocator.withLimit(256L << 20);
    EmbeddedChannel channel = new EmbeddedChannel();
    ChannelPipeline pipeline = channel.pipeline();
    Admission admission = new WeirAdmission(allocator);
    AggregatorOptions options =
        AggregatorOptions.upTo(64 << 20).withAdmissionDeadline(Duration.ofSeconds(10));
    // for each channel, on the channel's own event loop:
    pipeline.addLast(
        new HttpServerCodec(), new BudgetedHttpAggregator(admission, options), new YourHandler());
    AggregatorOptions impatient =
        AggregatorOptions.upTo(1 << 20).withIdleTimeout(Duration.ofSeconds(15));
    assertThat(impatient.idleTimeout()).hasSeconds(15);
    Spill spill = new Spill(folder, 10L << 30, 4 << 20, Duration.ofMillis(100));
    pipeline.addLast(new BudgetedHttpAggregator(admission, options, spill));
    ReadGate gate = new ReadGate(new PoolHeadroom(allocator.pool()));
    pipeline.addFirst(gate.newHandler());
    assertThat(pipeline.get(BudgetedHttpAggregator.class)).isNotNull();
    assertThat(gate.isClosed()).isFalse();
    channel.finishAndReleaseAll();
    allocator.close();
  }

  private static final class YourHandler extends ChannelInboundHandlerAdapter {}

  @Test
  void listenersAndStreams() {
    WeirAllocator allocator = WeirAllocator.withLimit(256L << 20);
    ServerBootstrap server = new ServerBootstrap();
    ReadGate fair =
        new ReadGate(new PoolHeadroom(allocator.pool()), held -> budgetOf(held).chargedBytes());
    server.handler(fair.newListenerHandler());
    assertThat(server.config().handler()).isNotNull();
    EmbeddedChannel channel = new EmbeddedChannel();
    ChannelPipeline pipeline = channel.pipeline();
    pipeline.addLast(Http2Windows.perStream(Http2FrameCodecBuilder.forServer().build()));
    assertThat(pipeline.get(Http2FrameCodec.class)).isNotNull();
    channel.finishAndReleaseAll();
    allocator.close();
  }

  private static Budget budgetOf(Channel channel) {
    throw new AssertionError(channel);
  }

  @Test
  void writesThatLoseNothing() {
    WeirAllocator allocator = WeirAllocator.withLimit(256L << 20);
    EmbeddedChannel channel = new EmbeddedChannel();
    ByteBuf response = allocator.directBuffer(100);
    ChannelFuture written = Owned.send(channel, response);
    assertThat(written.isSuccess()).isTrue();
    channel.<ByteBuf>readOutbound().release();
    ByteBuf payload = allocator.directBuffer(100);
    Owned.build(parts -> new Frame(7, parts.take(payload))).sendTo(channel);
    channel.finishAndReleaseAll();
    channel.runPendingTasks();
    assertThat(allocator.pool().liveBlockBytes()).isZero();
    allocator.close();
  }

  @Test
  void whatIsQueued() {
    EmbeddedChannel channel = new EmbeddedChannel();
    ChannelPipeline pipeline = channel.pipeline();
    WriteGate outbound = new WriteGate(WriteGateOptions.within(64L << 20));
    pipeline.addLast(outbound.newHandler());
    ChannelFuture sent =
        WriteGate.pull(channel, outlet -> outlet.write(outlet.alloc().buffer(1).writeByte(1)));
    assertThat(sent.cancel(false)).isTrue();
    channel.runPendingTasks();
    try (SubmissionPublisher<ByteBuf> publisher = new SubmissionPublisher<>()) {
      ChannelFuture published = WriteGate.pullFrom(channel, publisher);
      assertThat(published.isDone()).isFalse();
      assertThat(outbound.refusals()).isZero();
    }
    channel.finishAndReleaseAll();
  }

  @Test
  void encryption() throws SSLException {
    EmbeddedChannel channel = new EmbeddedChannel();
    ChannelPipeline pipeline = channel.pipeline();
    SslContext sslContext = SslContextBuilder.forClient().build();
    FailStopTls.addTo(pipeline, sslContext.newHandler(channel.alloc()));
    assertThat(pipeline.get(SslHandler.class)).isNotNull();
    channel.finishAndReleaseAll();
    ReferenceCountUtil.release(sslContext);
  }

  @Test
  void decoders() {
    EmbeddedChannel channel = new EmbeddedChannel();
    ChannelPipeline pipeline = channel.pipeline();
    UnbrokenInput.addTo(pipeline, new LengthFieldBasedFrameDecoder(1 << 20, 0, 4, 0, 4));
    assertThat(pipeline.get(LengthFieldBasedFrameDecoder.class)).isNotNull();
    channel.finishAndReleaseAll();
  }

  private record Frame(int id, ByteBuf payload) {}

  @Test
  void everyLineOfTheGuideStandsHere() throws IOException {
    List<String> here = statements(Files.readString(THIS_FILE));
    List<String> examples =
        CODE.matcher(Files.readString(GUIDE))
            .results()
            .map(MatchResult::group)
            .flatMap(block -> statements(block.substring("```java".length())).stream())
            .filter(statement -> !statement.equals("```"))
            .toList();
    assertThat(examples).hasSizeGreaterThan(8);
    assertThat(here).containsAll(examples);
  }

  private static List<String> statements(String text) {
    return Pattern.compile("[;{}]")
        .splitAsStream(text)
        .map(part -> part.replaceAll("\\s+", ""))
        .toList();
  }
}
