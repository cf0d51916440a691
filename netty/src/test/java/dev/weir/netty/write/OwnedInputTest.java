package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.stream.ChunkedInput;
import io.netty.handler.stream.ChunkedWriteHandler;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An input is closed once, by the pipeline or by whoever sent it. */
class OwnedInputTest {
  private final MemoryInput input = new MemoryInput(Unpooled.buffer().writeZero(100));
  private final EmbeddedChannel channel = new EmbeddedChannel();

  @Test
  void whatIsWrittenInChunksIsClosedOnce() {
    channel.pipeline().addLast(new ChunkedWriteHandler());
    ChannelFuture sent = Owned.send(channel, input);
    channel.runPendingTasks();
    assertThat(sent.isSuccess()).isTrue();
    ByteBuf chunk = channel.readOutbound();
    assertThat(chunk.readableBytes()).isEqualTo(100);
    chunk.release();
    channel.finishAndReleaseAll();
    assertThat(input.closings()).isEqualTo(1);
  }

  @Test
  void whatAHandlerDiscardsIsClosedOnce() {
    channel.pipeline().addLast(new ChunkedWriteHandler());
    ChannelFuture written = Owned.of(input).writeTo(channel);
    channel.finishAndReleaseAll();
    assertThat(written.isSuccess()).isFalse();
    assertThat(input.closings()).isEqualTo(1);
  }

  @Test
  void whatAnEncoderHasReadAndLeftOpenIsClosed() {
    channel.pipeline().addLast(SocketThatTakesAll.onWrite((message, done) -> done.setSuccess()));
    ChannelFuture sent = Owned.send(channel, input);
    channel.runPendingTasks();
    assertThat(sent.isSuccess()).isTrue();
    assertThat(input.closings()).isEqualTo(1);
  }

  @Test
  void whatAHandlerHasKeptReadsNothingMore() throws Exception {
    List<ChunkedInput<?>> kept = new ArrayList<>();
    channel
        .pipeline()
        .addLast(
            SocketThatTakesAll.onWrite((message, done) -> {
              kept.add((ChunkedInput<?>) message);
              SocketThatTakesAll.fail();
            }));
    assertThat(Owned.send(channel, input).isSuccess()).isFalse();
    assertThat(input.closings()).isEqualTo(1);
    ChunkedInput<?> late = kept.getFirst();
    assertThat(late.isEndOfInput()).isTrue();
    assertThat(catchThrowable(() -> late.readChunk(ByteBufAllocator.DEFAULT)))
        .isInstanceOf(IllegalStateException.class);
  }
}
