package dev.weir.netty.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.flow.Admission;
import dev.weir.netty.flow.Permit;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Something fails that nobody has foreseen as the parts of a body become one. */
@Timeout(120)
class GatheringFailureTest {
  private static final int STEP_BYTES = 64;
  private static final int MAX_BYTES = 10_000;

  private final List<Part> parts = new ArrayList<>();

  /** Which of the parts cannot be put into a composite; none if negative. */
  private int failing = -1;

  @AfterEach
  void nothingIsHeld() {
    assertThat(parts).isNotEmpty().allMatch(part -> part.refCnt() == 0);
  }

  private final class Part extends UnpooledDirectByteBuf {
    private final int index = parts.size();

    Part(int bytes) {
      super(UnpooledByteBufAllocator.DEFAULT, bytes, bytes);
      parts.add(this);
    }

    @Override
    public int readableBytes() {
      if (index == failing) {
        throw new OutOfMemoryError("made to fail");
      }
      return super.readableBytes();
    }
  }

  /** Each step is a part of its own. */
  private Permit permit(long bytes) {
    return new Permit() {
      @Override
      public long unspentBytes() {
        return bytes;
      }

      @Override
      public ByteBuf allocate(int size) {
        return new Part(size);
      }

      @Override
      public void close() {}
    };
  }

  private Admission admission() {
    return (bytes, deadline) -> CompletableFuture.completedFuture(permit(bytes));
  }

  private EmbeddedChannel channel(BudgetedHttpAggregator aggregator, HttpHeaders headers) {
    EmbeddedChannel channel = new EmbeddedChannel(aggregator);
    headers.set(HttpHeaderNames.TRANSFER_ENCODING, "chunked");
    channel.writeInbound(
        new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/", headers));
    for (int i = 0; i < 3; i++) {
      channel.writeInbound(new DefaultHttpContent(Unpooled.wrappedBuffer(new byte[STEP_BYTES])));
    }
    return channel;
  }

  private static void send(EmbeddedChannel channel, HttpContent content) {
    try {
      channel.writeInbound(content);
    } catch (OutOfMemoryError unhandled) {
      throw new AssertionError("nobody has handled it", unhandled);
    }
  }

  private static void assertRefused(EmbeddedChannel channel) {
    channel.runPendingTasks();
    FullHttpResponse answer = channel.readOutbound();
    assertThat(answer.status().code()).isEqualTo(500);
    answer.release();
    assertThat(channel.<Object>readInbound()).isNull();
    channel.finishAndReleaseAll();
  }

  private static AggregatorOptions options() {
    return AggregatorOptions.upTo(MAX_BYTES).withStepBytes(STEP_BYTES);
  }

  @Test
  void theConnectionEndsAndTheBodyIsReleased() {
    EmbeddedChannel channel =
        channel(new BudgetedHttpAggregator(admission(), options()), new DefaultHttpHeaders());
    failing = 1;
    send(channel, LastHttpContent.EMPTY_LAST_CONTENT);
    assertRefused(channel);
  }
}
