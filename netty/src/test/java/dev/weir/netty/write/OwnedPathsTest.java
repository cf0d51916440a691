package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.netty.WeirAllocator;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufHolder;
import io.netty.buffer.DefaultByteBufHolder;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.MessageToByteEncoder;
import io.netty.handler.codec.MessageToMessageEncoder;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.AbstractReferenceCounted;
import io.netty.util.IllegalReferenceCountException;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.ReferenceCounted;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every kind of message on every way a write can end: its memory goes back, once. Each runs over a
 * real socket, whose peer takes in what it gets.
 */
@Timeout(30)
class OwnedPathsTest {
  private static final int BYTES = 1_000;

  private final Pool pool = Pool.create(PoolOptions.withLimit(64L << 20));
  private final WeirAllocator allocator = new WeirAllocator(pool);
  private final EventLoopGroup peers =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final EventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private Channel listener;
  private Channel channel;

  /** A message of the application's own that is no {@link ReferenceCounted}. */
  record Frame(int id, ByteBuf payload) {}

  /** A holder that inherits {@code replace}. */
  private static final class CustomHolder extends DefaultByteBufHolder {
    CustomHolder(ByteBuf content) {
      super(content);
    }
  }

  private static final class CustomCounted extends AbstractReferenceCounted {
    private final ByteBuf content;

    CustomCounted(ByteBuf content) {
      this.content = content;
    }

    @Override
    protected void deallocate() {
      content.release();
    }

    @Override
    public ReferenceCounted touch(Object hint) {
      return this;
    }
  }

  enum Kind {
    BUFFER {
      @Override
      Owned own(ByteBuf content) {
        return Owned.of(content);
      }
    },
    SHARED_MEMORY {
      @Override
      Owned own(ByteBuf content) {
        ByteBuf shared = content.retainedDuplicate();
        content.release();
        return Owned.of(shared);
      }
    },
    HTTP_CONTENT {
      @Override
      Owned own(ByteBuf content) {
        return Owned.of(new DefaultHttpContent(content));
      }
    },
    FULL_HTTP_RESPONSE {
      @Override
      Owned own(ByteBuf content) {
        return Owned.of(
            new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, content));
      }
    },
    CUSTOM_HOLDER {
      @Override
      Owned own(ByteBuf content) {
        return Owned.of(new CustomHolder(content));
      }
    },
    CUSTOM_COUNTED {
      @Override
      Owned own(ByteBuf content) {
        return Owned.of(new CustomCounted(content));
      }
    },
    RECORD {
      @Override
      Owned own(ByteBuf content) {
        return Owned.build(parts -> new Frame(7, parts.take(content)));
      }
    },
    RELEASED_BY_THE_SENDER {
      @Override
      Owned own(ByteBuf content) {
        return Owned.of(new Frame(7, content.asReadOnly()), frame -> frame.payload().release());
      }
    };

    abstract Owned own(ByteBuf content);

    /** Whether a handler that lets go of the message releases it. */
    boolean isForThePipelineToRelease() {
      return this != RELEASED_BY_THE_SENDER;
    }
  }

  enum Path {
    FLUSHED(true),
    FLUSHED_BY_ANOTHER_THREAD(true),
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
    LOST_BY_A_HANDLER(false),
    EVENT_LOOP_ENDED(false),
    NEVER_SENT(false);

    private final boolean succeeds;

    Path(boolean succeeds) {
      this.succeeds = succeeds;
    }
  }

  static Stream<Arguments> everyMessageOnEveryPath() {
    return EnumSet.allOf(Path.class).stream()
        .flatMap(path -> EnumSet.allOf(Kind.class).stream().map(kind -> Arguments.of(path, kind)));
  }

  @BeforeEach
  void connect() {
    listener =
        new ServerBootstrap()
            .group(peers)
            .channel(NioServerSocketChannel.class)
            .childHandler(
                new ChannelInboundHandlerAdapter() {
                  @Override
                  public boolean isSharable() {
                    return true;
                  }

                  @Override
                  public void channelRead(ChannelHandlerContext ctx, Object message) {
                    ReferenceCountUtil.release(message);
                  }
                })
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .syncUninterruptibly()
            .channel();
    channel =
        new Bootstrap()
            .group(loops)
            .channel(NioSocketChannel.class)
            .option(ChannelOption.ALLOCATOR, allocator)
            .handler(new ChannelInboundHandlerAdapter())
            .connect(listener.localAddress())
            .syncUninterruptibly()
            .channel();
  }

  @AfterEach
  void end() throws InterruptedException {
    listener.close().sync();
    loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    peers.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    allocator.close();
    pool.close();
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("everyMessageOnEveryPath")
  void memoryGoesBack(Path path, Kind kind) throws Exception {
    Owned owned = kind.own(allocator.directBuffer(BYTES).writeZero(BYTES));
    assertThat(pool.liveBlockBytes()).isPositive();

    ChannelFuture written = take(path, kind, owned);

    if (written != null) {
      written.await();
      assertThat(written.isSuccess()).isEqualTo(path.succeeds);
    }
    if (path != Path.EVENT_LOOP_ENDED) {
      onLoop(() -> {});
    }
    if (closesForItsMemory(path)) {
      channel.close().sync();
      onLoop(() -> {});
      onLoop(() -> {});
    }
    assertThat(pool.liveBlockBytes()).isZero();
  }

  /** Where handlers still have the message, its memory goes back when the channel closes. */
  private static boolean closesForItsMemory(Path path) {
    return Set.of(
            Path.CANCELLED_BEFORE_THE_FLUSH,
            Path.CLOSED_WHILE_QUEUED,
            Path.CLOSED_BEFORE,
            Path.CLOSED_BEFORE_AND_SEEN_BY_ANOTHER_THREAD)
        .contains(path);
  }

  private ChannelFuture take(Path path, Kind kind, Owned owned) throws Exception {
    switch (path) {
      case FLUSHED -> {
        return sentOnLoop(owned, new TransferringEncoder(kind));
      }
      case FLUSHED_BY_ANOTHER_THREAD -> {
        channel.pipeline().addLast(new TransferringEncoder(kind));
        return owned.sendTo(channel);
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
                release(message);
              }
            }));
      }
      case NO_ENCODER -> {
        return sentOnLoop(
            owned,
            new ChannelOutboundHandlerAdapter() {
              @Override
              public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
                // As buffers the transport would take them.
                ctx.write(message instanceof ByteBuf ? new Frame(0, (ByteBuf) message) : message)
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
                release(message);
              }
              fail();
            }));
      }
      case ENCODER_THREW_AND_RETAINED -> {
        return sentOnLoop(
            owned,
            onWrite((message, promise) -> {
              if (kind.isForThePipelineToRelease()) {
                retain(message);
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

  @Test
  void aMessageIsGivenAwayOnce() {
    Owned owned = Owned.of(allocator.directBuffer(BYTES));
    owned.release();
    assertThat(catchThrowable(() -> owned.sendTo(channel)))
        .isInstanceOf(IllegalStateException.class);
    assertThat(pool.liveBlockBytes()).isZero();
  }

  @Test
  void aMessageThatCannotBeBuiltHoldsNothing() {
    ByteBuf buffer = allocator.directBuffer(BYTES);
    assertThat(
            catchThrowable(() ->
                Owned.build(parts -> {
                  parts.take(buffer);
                  throw new IllegalStateException("no frame");
                })))
        .hasMessage("no frame");
    assertThat(pool.liveBlockBytes()).isZero();
  }

  @Test
  void whoeverHoldsTheSameMemoryKeepsIt() throws Exception {
    ByteBuf cached = allocator.directBuffer(BYTES).writeZero(BYTES);
    for (int i = 0; i < 10; i++) {
      channel.pipeline().addFirst("odd", onWrite((message, promise) -> fail()));
      Owned.send(channel, cached.retainedDuplicate()).await();
      channel.pipeline().remove("odd");
      Owned.send(channel, cached.retainedSlice(0, 10)).sync();
      onLoop(() -> {});
      assertThat(cached.refCnt()).isEqualTo(1);
    }
    cached.release();
    assertThat(pool.liveBlockBytes()).isZero();
  }

  @Test
  void aKeptBufferOfAFailedWriteReadsNobodyElsesData() throws Exception {
    List<ByteBuf> kept = new ArrayList<>();
    channel
        .pipeline()
        .addLast(
            onWrite((message, promise) -> {
              kept.add(((ByteBuf) message).slice());
              fail();
            }));
    Owned.send(channel, allocator.directBuffer(BYTES).writeZero(BYTES)).await();
    // Whoever awaits a write may go on before its listeners do.
    onLoop(() -> {});
    assertThat(pool.liveBlockBytes()).isZero();
    ByteBuf other = allocator.directBuffer(BYTES).writeZero(BYTES);
    assertThat(catchThrowable(() -> kept.getFirst().getByte(0)))
        .isInstanceOf(IllegalReferenceCountException.class);
    assertThat(kept.getFirst().release()).isFalse();
    assertThat(other.refCnt()).isEqualTo(1);
    other.release();
  }

  @Test
  void cancelledWritesThatWereFlushedAreForgotten() throws Exception {
    for (int i = 0; i < 100; i++) {
      ChannelFuture written =
          Owned.of(allocator.directBuffer(BYTES).writeZero(BYTES)).writeTo(channel);
      onLoop(() -> {});
      assertThat(written.cancel(false)).isTrue();
      channel.flush();
      onLoop(() -> {});
    }
    assertThat(pool.liveBlockBytes()).isZero();
    int[] left = new int[2];
    onLoop(() -> {
      left[0] = OwnedWrites.of(channel).cancelledCount();
      left[1] = OwnedWrites.of(channel).openCount();
    });
    assertThat(left[0]).isEqualTo(1);
    assertThat(left[1]).isZero();
  }

  private ChannelFuture sentOnLoop(Owned owned, ChannelHandler encoder) throws Exception {
    channel.pipeline().addLast(encoder);
    ChannelFuture[] written = new ChannelFuture[1];
    onLoop(() -> written[0] = owned.sendTo(channel));
    return written[0];
  }

  private void onLoop(Runnable task) throws Exception {
    channel.eventLoop().submit(task).sync();
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  private static void fail() {
    throw new IllegalStateException("an encoder that fails");
  }

  private static ByteBuf content(Object message) {
    return switch (message) {
      case ByteBuf buffer -> buffer;
      case ByteBufHolder holder -> holder.content();
      case Frame frame -> frame.payload();
      case CustomCounted counted -> counted.content;
      default -> throw new AssertionError(message);
    };
  }

  private static void retain(Object message) {
    if (message instanceof Frame frame) {
      frame.payload().retain();
    } else {
      ReferenceCountUtil.retain(message);
    }
  }

  private static void release(Object message) {
    if (message instanceof Frame frame) {
      frame.payload().release();
    } else {
      ReferenceCountUtil.release(message);
    }
  }

  private static ChannelHandler onWrite(BiConsumer<Object, ChannelPromise> then) {
    return new ChannelOutboundHandlerAdapter() {
      @Override
      public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        then.accept(message, promise);
      }
    };
  }

  /** Passes the content of a message on, as Netty's encoders do. */
  private static final class TransferringEncoder extends MessageToMessageEncoder<Object> {
    private final Kind kind;

    TransferringEncoder(Kind kind) {
      super(Object.class);
      this.kind = kind;
    }

    @Override
    protected void encode(ChannelHandlerContext ctx, Object message, List<Object> out) {
      switch (message) {
        case Frame frame when kind == Kind.RELEASED_BY_THE_SENDER ->
            out.add(frame.payload().retainedDuplicate());
        case Frame frame -> out.add(frame.payload());
        case CustomCounted counted -> out.add(counted.content.retainedDuplicate());
        default -> out.add(content(message).retain());
      }
    }
  }

  /** Copies what it encodes, and forgets to release what is no {@link ReferenceCounted}. */
  private static final class CopyingEncoder extends MessageToByteEncoder<Object> {
    @Override
    protected void encode(ChannelHandlerContext ctx, Object message, ByteBuf out) {
      ByteBuf content =
          message instanceof CustomCounted counted ? counted.content : content(message);
      out.writeBytes(content, content.readerIndex(), content.readableBytes());
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
