package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.compression.ContentCoding;
import dev.weir.compression.Texts;
import dev.weir.compression.zstd.EachZstd;
import dev.weir.netty.flow.ByteCountAdmission;
import dev.weir.netty.flow.Permit;
import dev.weir.netty.http.AggregatorOptions;
import dev.weir.netty.http.BudgetedHttpAggregator;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The end of what a client sends comes behind all that it has sent. */
@ParameterizedClass
@EnumSource(EachZstd.class)
class InputEndTest {
  private static final int MAX_BYTES = 1 << 20;
  private static final byte[] CONTENT = Texts.json(200_000, 1);

  private final RequestFixture fixture;

  InputEndTest(EachZstd zstd) {
    fixture = new RequestFixture(zstd.library(), RequestOptions.upTo(MAX_BYTES));
  }

  @AfterEach
  void nothingIsLive() {
    fixture.close();
  }

  private void send() {
    byte[] stream = fixture.encode(ContentCoding.GZIP, CONTENT);
    fixture.send("gzip", stream, stream.length);
  }

  private void endInput() {
    fixture.channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
    fixture.channel.pipeline().fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
  }

  @Test
  void aRequestThatWaitsForMemoryArrivesWhole() {
    ByteCountAdmission admission = new ByteCountAdmission(MAX_BYTES, fixture.memory.allocator);
    fixture
        .channel
        .pipeline()
        .addLast(new BudgetedHttpAggregator(admission, AggregatorOptions.upTo(MAX_BYTES)));
    Permit all = admission.admit(MAX_BYTES, Duration.ofHours(1)).toCompletableFuture().join();
    send();
    endInput();
    assertThat(fixture.channel.<Object>readInbound()).isNull();
    all.close();
    fixture.channel.runPendingTasks();
    assertThat(fixture.channel.<Object>readOutbound()).isNull();
    FullHttpRequest request = fixture.channel.readInbound();
    assertThat(ByteBufUtil.getBytes(request.content())).isEqualTo(CONTENT);
    request.release();
  }

  /** What the application gets, one after the other: bytes as one for all parts. */
  private final class Order extends ChannelInboundHandlerAdapter {
    private final List<String> order = new ArrayList<>();
    private int readEnds;

    private void note(String what) {
      if (order.isEmpty() || !order.getLast().equals(what)) {
        order.add(what);
      }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      note(
          message instanceof LastHttpContent
              ? "last"
              : message instanceof HttpContent ? "content" : "head");
      ReferenceCountUtil.release(message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      readEnds++;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      note(event.getClass().getSimpleName());
    }
  }

  @Test
  void theEndComesBehindWhatNobodyHasReadYet() {
    Order application = new Order();
    fixture.channel.pipeline().addLast(application);
    fixture.channel.config().setAutoRead(false);
    send();
    endInput();
    fixture.channel.pipeline().fireUserEventTriggered("another");
    assertThat(application.order).containsExactly("String");
    for (int reads = 0; !application.order.contains("last"); reads++) {
      assertThat(reads).isLessThan(100);
      fixture.channel.read();
    }
    // It needs no read of its own.
    assertThat(application.order)
        .containsExactly(
            "String",
            "head",
            "content",
            "last",
            "ChannelInputShutdownEvent",
            "ChannelInputShutdownReadComplete");
  }

  @Test
  void theEndComesBehindWhatIsPassedOnWhereTheHandlerGoes() {
    Order application = new Order();
    fixture.channel.pipeline().addLast(application);
    fixture.channel.config().setAutoRead(false);
    fixture.send(null, CONTENT, CONTENT.length);
    endInput();
    int readEnds = application.readEnds;
    fixture.channel.pipeline().remove(HttpRequestDecompressor.class);
    assertThat(application.readEnds).as("behind what was passed on").isEqualTo(readEnds + 1);
    assertThat(application.order)
        .containsExactly(
            "head",
            "content",
            "last",
            "ChannelInputShutdownEvent",
            "ChannelInputShutdownReadComplete");
  }
}
