package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.stream.ChunkedInput;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class UnwrittenTest {
  private static final int CHANNEL_BYTES = 1_000;

  /** An input of nothing, which tells whether it was closed. */
  private static final class Input implements ChunkedInput<ByteBuf> {
    private final boolean failing;
    private boolean closed;

    Input(boolean failing) {
      this.failing = failing;
    }

    @Override
    public boolean isEndOfInput() {
      return true;
    }

    @Override
    public void close() throws IOException {
      closed = true;
      if (failing) {
        throw new IOException("made to fail");
      }
    }

    @Override
    @Deprecated
    public ByteBuf readChunk(io.netty.channel.ChannelHandlerContext ctx) {
      return readChunk(ctx.alloc());
    }

    @Override
    public ByteBuf readChunk(ByteBufAllocator allocator) {
      return Unpooled.EMPTY_BUFFER;
    }

    @Override
    public long length() {
      return 0;
    }

    @Override
    public long progress() {
      return 0;
    }
  }

  @Test
  void anInputIsClosedAndABufferReleased() {
    Input input = new Input(/* failing= */ false);
    Unwritten.release(input);
    assertThat(input.closed).isTrue();
    Input failing = new Input(/* failing= */ true);
    Unwritten.release(failing);
    assertThat(failing.closed).isTrue();
    ByteBuf buffer = Unpooled.buffer();
    Unwritten.release(buffer);
    assertThat(buffer.refCnt()).isZero();
    Unwritten.release("holds nothing");
  }

  @Test
  void anInputThatTheGateRefusesIsClosed() {
    WriteGate gate =
        new WriteGate(
            new WriteGateOptions(
                CHANNEL_BYTES, 10 * CHANNEL_BYTES, CHANNEL_BYTES, Duration.ofMinutes(1)));
    EmbeddedChannel channel = new EmbeddedChannel(gate.newHandler());
    channel.write(Unpooled.buffer().writeZero(CHANNEL_BYTES));
    Input input = new Input(/* failing= */ false);
    ChannelFuture refused = channel.write(input);
    channel.runPendingTasks();
    assertThat(refused.cause()).isInstanceOf(WriteRefusedException.class);
    assertThat(input.closed).isTrue();
    channel.finishAndReleaseAll();
  }

  @Test
  void anInputThatIsPublishedUnaskedIsClosed() {
    Input input = new Input(/* failing= */ true);
    new PublishedMessages(ImmediateEventExecutor.INSTANCE, subscriber -> {}).onNext(input);
    assertThat(input.closed).isTrue();
  }
}
