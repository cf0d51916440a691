package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.write.SentMessage.CustomCounted;
import dev.weir.netty.write.SentMessage.Frame;
import dev.weir.netty.write.SentMessage.Wrapped;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.FileRegion;
import io.netty.handler.codec.MessageToByteEncoder;
import io.netty.handler.codec.MessageToMessageEncoder;
import io.netty.handler.stream.ChunkedInput;
import io.netty.handler.stream.ChunkedStream;
import io.netty.handler.stream.ChunkedWriteHandler;
import io.netty.util.ReferenceCounted;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every kind of message on every way a write can end: its memory goes back, once. */
class OwnedPathsTest extends SocketThatTakesAll {
  enum Path {
    FLUSHED(true),
    FLUSHED_BY_ANOTHER_THREAD(true),
    FLUSHED_THROUGH_A_CHUNKED_WRITE_HANDLER(true),
    FLUSHED_BY_AN_ENCODER_THAT_COPIES(true),
    FLUSHED_BY_AN_ENCODER_THAT_TELLS_BEFORE_IT_RELEASES(true),
    NO_ENCODER(false),
    ENCODER_THREW_FIRST(false),
    ENCODER_THREW_AND_RELEASED(false),
    ENCODER_THREW_AND_RETAINED(false),
    CANCELLED_BEFORE_THE_PIPELINE(false),
    CANCELLED_BEFORE_THE_FLUSH(false),
    CLOSED_BEFORE(false),
    CLOSED_BEFORE_AND_SEEN_BY_ANOTHER_THREAD(false),
    CLOSED_WHILE_QUEUED(false),
    HELD_BY_A_HANDLER_THAT_IS_REMOVED(false),
    HELD_BY_A_CHUNKED_WRITE_HANDLER_THAT_IS_REMOVED(false),
    LOST_BY_A_HANDLER(false),
    HELD_AS_THE_EVENT_LOOP_ENDS(false),
    QUEUED_AS_THE_EVENT_LOOP_ENDS(false),
    EVENT_LOOP_ENDED(false),
    NEVER_SENT(false);

    private final boolean succeeds;

    Path(boolean succeeds) {
      this.succeeds = succeeds;
    }
  }

  static Stream<Arguments> everyMessageOnEveryPath() {
    return EnumSet.allOf(Path.class).stream()
        .flatMap(path ->
            EnumSet.allOf(SentMessage.class).stream().map(kind -> Arguments.of(path, kind)));
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("everyMessageOnEveryPath")
  void memoryGoesBack(Path path, SentMessage kind) throws Exception {
    Owned owned = kind.own(content());
    assertThat(pool.liveBlockBytes()).isPositive();

    ChannelFuture written = take(path, kind, owned);

    if (written != null && !channel.eventLoop().isShutdown()) {
      written.await();
    }
    if (written != null) {
      assertThat(written.isSuccess()).isEqualTo(path.succeeds);
    }
    if (channel.eventLoop().isShutdown()) {
      assertThat(written.isDone()).isTrue();
    } else {
      settle();
    }
    if (closesForItsMemory(path)) {
      channel.close().sync();
      settle();
    }
    assertThat(pool.liveBlockBytes()).isZero();
  }

  /**
   * Where handlers still have the message, or others a reference that they took, which may be in a
   * queue, its memory goes back when the channel closes.
   */
  private static boolean closesForItsMemory(Path path) {
    return Set.of(
            Path.ENCODER_THREW_AND_RETAINED,
            Path.CANCELLED_BEFORE_THE_PIPELINE,
            Path.CANCELLED_BEFORE_THE_FLUSH,
            Path.CLOSED_WHILE_QUEUED,
            Path.CLOSED_BEFORE,
            Path.CLOSED_BEFORE_AND_SEEN_BY_ANOTHER_THREAD)
        .contains(path);
  }

  private ChannelFuture take(Path path, SentMessage kind, Owned owned) throws Exception {
    switch (path) {
      case FLUSHED -> {
        return sentOnLoop(owned, new TransferringEncoder(kind));
      }
      case FLUSHED_BY_ANOTHER_THREAD -> {
        channel.pipeline().addLast(new TransferringEncoder(kind));
        return owned.sendTo(channel);
      }
      case FLUSHED_THROUGH_A_CHUNKED_WRITE_HANDLER -> {
        channel.pipeline().addLast(new ChunkedWriteHandler());
        return kind == SentMessage.CHUNKED_INPUT
            ? owned.sendTo(channel)
            : sentOnLoop(owned, new TransferringEncoder(kind));
      }
      case FLUSHED_BY_AN_ENCODER_THAT_COPIES -> {
        return sentOnLoop(owned, new CopyingEncoder());
      }
      case FLUSHED_BY_AN_ENCODER_THAT_TELLS_BEFORE_IT_RELEASES -> {
        return sentOnLoop(
            owned,
            onWrite((message, promise) -> {
              promise.setSuccess();
              if (kind.isForThePipelineToRelease()) {
                SentMessage.release(message);
              }
            }));
      }
      case NO_ENCODER -> {
        return sentOnLoop(
            owned,
            new ChannelOutboundHandlerAdapter() {
              @Override
              public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
                // As they are the transport would take them.
                boolean taken = message instanceof ByteBuf || message instanceof FileRegion;
                ctx.write(taken ? new Frame(0, SentMessage.content(message)) : message)
                    .addListener(done -> promise.setFailure(done.cause()));
              }
            });
      }
      case ENCODER_THREW_FIRST -> {
        return sentOnLoop(owned, onWrite((message, promise) -> fail()));
      }
      case ENCODER_THREW_AND_RELEASED -> {
        return sentOnLoop(
            owned,
            onWrite((message, promise) -> {
              if (kind.isForThePipelineToRelease()) {
                SentMessage.release(message);
              }
              fail();
            }));
      }
      case ENCODER_THREW_AND_RETAINED -> {
        return sentOnLoop(
            owned,
            onWrite((message, promise) -> {
              if (kind.isForThePipelineToRelease()) {
                SentMessage.retain(message);
              }
              fail();
            }));
      }
      case CANCELLED_BEFORE_THE_PIPELINE -> {
        ChannelFuture[] written = new ChannelFuture[1];
        onLoop(() -> {
          Thread other = Thread.ofPlatform().start(() -> written[0] = owned.sendTo(channel));
          join(other);
          assertThat(written[0].cancel(false)).isTrue();
        });
        return written[0];
      }
      case CANCELLED_BEFORE_THE_FLUSH -> {
        channel.pipeline().addLast(new TransferringEncoder(kind));
        ChannelFuture written = owned.writeTo(channel);
        onLoop(() -> {});
        assertThat(written.cancel(false)).isTrue();
        return written;
      }
      case CLOSED_BEFORE -> {
        channel.close().sync();
        ChannelFuture[] written = new ChannelFuture[1];
        onLoop(() -> written[0] = owned.sendTo(channel));
        return written[0];
      }
      case CLOSED_BEFORE_AND_SEEN_BY_ANOTHER_THREAD -> {
        channel.close().sync();
        return owned.sendTo(channel);
      }
      case CLOSED_WHILE_QUEUED -> {
        channel.pipeline().addLast(new TransferringEncoder(kind));
        ChannelFuture written = owned.writeTo(channel);
        onLoop(() -> {});
        channel.close().sync();
        return written;
      }
      case HELD_BY_A_HANDLER_THAT_IS_REMOVED -> {
        Holding holding = new Holding();
        channel.pipeline().addLast(holding);
        ChannelFuture written = owned.sendTo(channel);
        onLoop(() -> {});
        channel.pipeline().remove(holding);
        onLoop(() -> {});
        // Whoever was removed may still write what it holds, until the channel closes.
        assertThat(written.isDone()).isFalse();
        assertThat(pool.liveBlockBytes()).isPositive();
        channel.close().sync();
        return written;
      }
      case HELD_BY_A_CHUNKED_WRITE_HANDLER_THAT_IS_REMOVED -> {
        ChunkedWriteHandler chunks = holdingChunks();
        ChannelFuture written = owned.writeTo(channel);
        onLoop(() -> {});
        channel.pipeline().remove(chunks);
        channel.close().sync();
        return written;
      }
      case LOST_BY_A_HANDLER -> {
        channel.pipeline().addLast(onWrite((message, promise) -> {}));
        ChannelFuture written = owned.sendTo(channel);
        onLoop(() -> {});
        channel.close().sync();
        return written;
      }
      case HELD_AS_THE_EVENT_LOOP_ENDS -> {
        channel.pipeline().addLast(new Holding());
        return left(owned, this::endLoops);
      }
      case QUEUED_AS_THE_EVENT_LOOP_ENDS -> {
        channel.pipeline().addLast(new TransferringEncoder(kind));
        return left(owned, this::endLoops);
      }
      case EVENT_LOOP_ENDED -> {
        loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
        return owned.sendTo(channel);
      }
      case NEVER_SENT -> {
        owned.release();
        return null;
      }
    }
    throw new AssertionError(path);
  }

  /** A handler that lets nothing past an input that it has not written. */
  private ChunkedWriteHandler holdingChunks() {
    ChunkedWriteHandler chunks = new ChunkedWriteHandler();
    channel.pipeline().addLast(chunks);
    channel.write(new ChunkedStream(InputStream.nullInputStream()));
    return chunks;
  }

  /** Written and not flushed when the loop ends. */
  private ChannelFuture left(Owned owned, Runnable end) throws Exception {
    ChannelFuture written = owned.writeTo(channel);
    onLoop(() -> {});
    assertThat(written.isDone()).isFalse();
    end.run();
    loops.terminationFuture().sync();
    return written;
  }

  /** With a quiet period: without one, Netty may forget channels. */
  private void endLoops() {
    loops.shutdownGracefully(50, 10_000, TimeUnit.MILLISECONDS);
  }

  private ChannelFuture sentOnLoop(Owned owned, ChannelHandler encoder) throws Exception {
    channel.pipeline().addLast(encoder);
    ChannelFuture[] written = new ChannelFuture[1];
    onLoop(() -> written[0] = owned.sendTo(channel));
    return written[0];
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  /** Passes the content of a message on, as Netty's encoders do. */
  private static final class TransferringEncoder extends MessageToMessageEncoder<Object> {
    private final SentMessage kind;

    TransferringEncoder(SentMessage kind) {
      super(Object.class);
      this.kind = kind;
    }

    @Override
    protected void encode(ChannelHandlerContext ctx, Object message, List<Object> out)
        throws Exception {
      switch (message) {
        case ChunkedInput<?> input -> {
          out.add(input.readChunk(ctx.alloc()));
          input.close();
        }
        case FileRegion region -> out.add(region.retain());
        case Wrapped wrapped -> out.add(wrapped.content().content());
        case Frame frame when kind == SentMessage.RELEASED_BY_THE_SENDER ->
            out.add(frame.payload().retainedDuplicate());
        case Frame frame -> out.add(frame.payload());
        case CustomCounted counted -> out.add(counted.content.retainedDuplicate());
        default -> out.add(SentMessage.content(message).retain());
      }
    }
  }

  /** Copies what it encodes, and forgets to release what is no {@link ReferenceCounted}. */
  private static final class CopyingEncoder extends MessageToByteEncoder<Object> {
    @Override
    protected void encode(ChannelHandlerContext ctx, Object message, ByteBuf out) throws Exception {
      if (message instanceof ChunkedInput<?> input) {
        ByteBuf chunk = (ByteBuf) input.readChunk(ctx.alloc());
        out.writeBytes(chunk);
        chunk.release();
      } else {
        ByteBuf content = SentMessage.content(message);
        out.writeBytes(content, content.readerIndex(), content.readableBytes());
      }
    }
  }

  /** Keeps what it is given, and gives nothing back. */
  private static final class Holding extends ChannelOutboundHandlerAdapter {
    private final Queue<Object> messages = new ArrayDeque<>();

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
      messages.add(message);
    }
  }
}
