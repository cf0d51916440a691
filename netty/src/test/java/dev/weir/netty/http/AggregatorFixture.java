package dev.weir.netty.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.flow.ByteCountAdmission;
import dev.weir.netty.flow.Permit;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A channel with an aggregator, an admission of 1,000 bytes, and the proof that all came back. */
final class AggregatorFixture {
  static final int ADMITTED_BYTES = 1_000;
  static final Duration LONG = Duration.ofMinutes(10);

  final PooledByteBufAllocator bodies = new PooledByteBufAllocator(true);
  final PooledByteBufAllocator input = new PooledByteBufAllocator(true);
  final ByteCountAdmission admission = new ByteCountAdmission(ADMITTED_BYTES, bodies);
  final BudgetedHttpAggregator aggregator;
  final EmbeddedChannel channel;

  AggregatorFixture(AggregatorOptions options) {
    aggregator = new BudgetedHttpAggregator(admission, options);
    channel = new EmbeddedChannel(new HttpServerCodec(), aggregator);
    channel.config().setAllocator(input);
  }

  static AggregatorFixture upTo(int maximumBytes) {
    return new AggregatorFixture(
        AggregatorOptions.upTo(maximumBytes)
            .withAdmissionDeadline(LONG)
            .withStepBytes(64)
            .withStallTimeout(Duration.ofSeconds(30)));
  }

  void receive(String text) {
    channel.writeInbound(input.directBuffer().writeBytes(text.getBytes(US_ASCII)));
  }

  /** Takes every byte there is, so that requests have to wait until it is closed. */
  Permit fillMemory() {
    return admission.admit(ADMITTED_BYTES, LONG).toCompletableFuture().join();
  }

  FullHttpRequest request() {
    return channel.readInbound();
  }

  String body(FullHttpRequest request) {
    return request.content().toString(US_ASCII);
  }

  void answer() {
    channel.writeOutbound(
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1, HttpResponseStatus.NO_CONTENT, Unpooled.EMPTY_BUFFER));
  }

  /** Everything written so far, as text. */
  String written() {
    List<String> parts = new ArrayList<>();
    for (Object part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
      ByteBuf bytes = (ByteBuf) part;
      parts.add(bytes.toString(US_ASCII));
      bytes.release();
    }
    return String.join("", parts);
  }

  boolean reads() {
    channel.runPendingTasks();
    return channel.config().isAutoRead();
  }

  /** Ends the test: closes the channel and checks that no byte is left anywhere. */
  void assertNothingHeld() {
    channel.finishAndReleaseAll();
    channel.runPendingTasks();
    assertThat(admission.availableBytes()).isEqualTo(ADMITTED_BYTES);
    assertThat(bodies.pinnedDirectMemory()).isZero();
    assertThat(input.pinnedDirectMemory()).isZero();
  }
}
