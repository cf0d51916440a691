package dev.weir.netty.inbound;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.WeirAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.LineBasedFrameDecoder;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.internal.OutOfDirectMemoryError;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What comes through decoders is a beginning of what was sent, wherever memory was short. */
class UnbrokenInputTest {
  private static final int FRAMES = 6;
  private static final int FRAME_BYTES = 20_000;
  private static final int PIECE_BYTES = 7_000;

  private final WeirAllocator allocator = WeirAllocator.withLimit(8L << 20);
  private final List<ByteBuf> pieces = new ArrayList<>();
  private final App app = new App();
  private final EmbeddedChannel channel = new EmbeddedChannel();

  @AfterEach
  void everythingIsReleased() {
    channel.finishAndReleaseAll();
    assertThat(pieces.stream().filter(piece -> piece.refCnt() > 0)).isEmpty();
    assertThat(allocator.pool().liveBlockBytes()).isZero();
    allocator.close();
  }

  private ByteBuf piece(byte[] bytes) {
    ByteBuf piece = Unpooled.directBuffer(bytes.length, bytes.length).writeBytes(bytes);
    pieces.add(piece);
    return piece;
  }

  private ByteBuf piece(String text) {
    return piece(text.getBytes(ISO_8859_1));
  }

  @ParameterizedTest
  @EnumSource
  void aBeginningComes(Frames kind) {
    ByteArrayOutputStream sent = new ByteArrayOutputStream();
    ByteArrayOutputStream wanted = new ByteArrayOutputStream();
    for (int i = 0; i < FRAMES; i++) {
      byte[] frame = Frames.frame(i, FRAME_BYTES);
      sent.writeBytes(kind.encode(frame));
      wanted.writeBytes(frame);
    }
    int count = Math.ceilDiv(sent.size(), PIECE_BYTES);
    int closed = 0;
    for (int shortAt = 0; shortAt < count; shortAt++) {
      closed += send(kind, sent.toByteArray(), wanted.toByteArray(), shortAt) ? 1 : 0;
    }
    assertThat(closed).as("pieces for which there was no memory").isPositive();
  }

  /** Whether the channel was closed, for want of memory when a piece came. */
  private boolean send(Frames kind, byte[] sent, byte[] wanted, int shortAt) {
    EmbeddedChannel reader = new EmbeddedChannel();
    reader.config().setAllocator(allocator);
    UnbrokenInput.addTo(reader.pipeline(), kind.decoders());
    App got = new App(kind);
    reader.pipeline().addLast(got);
    for (int at = 0, index = 0; at < sent.length; at += PIECE_BYTES, index++) {
      ByteBuf next = piece(Arrays.copyOfRange(sent, at, Math.min(at + PIECE_BYTES, sent.length)));
      if (index == shortAt) {
        Shortage.during(allocator, /* leastBytes= */ 16, () -> read(reader, next));
      } else {
        read(reader, next);
      }
    }
    boolean open = reader.isOpen();
    reader.finishAndReleaseAll();
    byte[] content = got.content.toByteArray();
    assertThat(content)
        .as("%s, short at %d", kind, shortAt)
        .isEqualTo(Arrays.copyOf(wanted, content.length));
    assertThat(content.length == wanted.length).isEqualTo(open);
    assertThat(got.failures.isEmpty()).isEqualTo(open);
    return !open;
  }

  private static void read(EmbeddedChannel reader, ByteBuf bytes) {
    if (reader.isOpen()) {
      reader.writeInbound(bytes);
    } else {
      reader.pipeline().fireChannelRead(bytes);
    }
  }

  /** A line without an end is a line at the end of the channel. */
  @Test
  void whatADecoderMakesOfTheEndIsReleased() {
    channel.config().setAllocator(allocator);
    LineBasedFrameDecoder lines =
        new LineBasedFrameDecoder(1 << 20) {
          @Override
          protected void decodeLast(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
            out.add(in.readRetainedSlice(in.readableBytes()));
          }
        };
    UnbrokenInput.addTo(channel.pipeline(), lines);
    channel.pipeline().addLast(app);
    channel.writeInbound(piece("whole\n"), piece("begun"));
    ByteBuf more = piece("x".repeat(100_000));
    Shortage.during(allocator, /* leastBytes= */ 16, () -> channel.writeInbound(more));
    assertThat(channel.isOpen()).isFalse();
    assertThat(app.content).hasToString("whole");
  }

  /** As TLS does with the records of one read. */
  @Test
  void whatTheSameReadBringsLaterIsReleased() {
    channel.pipeline().addLast(new Splitting());
    UnbrokenInput.addTo(channel.pipeline(), new Throwing(new OutOfMemoryError("injected")));
    channel.pipeline().addLast(app);
    channel.writeInbound(piece("a"), piece("b!c"), piece("d"));
    assertThat(app.content).hasToString("ab");
    assertThat(channel.isOpen()).isFalse();
  }

  /** A decoder keeps what comes while it decodes in a queue, and forgets it as it throws. */
  @Test
  void whatComesMeanwhileIsReleased() {
    Throwing decoder = new Throwing(new OutOfMemoryError("injected"));
    UnbrokenInput.addTo(channel.pipeline(), decoder);
    channel.pipeline().addLast(app);
    decoder.meanwhile =
        () -> {
          channel.pipeline().fireChannelRead(piece("b"));
          channel.pipeline().fireChannelRead(piece("!"));
          channel.pipeline().fireChannelRead(piece("c"));
          channel.pipeline().fireChannelReadComplete();
        };
    channel.writeInbound(piece("a"));
    assertThat(app.content).hasToString("ab");
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void whatComesMeanwhileComesInOrder() {
    Throwing decoder = new Throwing(new OutOfMemoryError("injected"));
    UnbrokenInput.addTo(channel.pipeline(), decoder);
    channel.pipeline().addLast(app);
    app.marksReads = true;
    decoder.meanwhile =
        () -> {
          channel.pipeline().fireChannelRead(piece("b"));
          channel.pipeline().fireChannelReadComplete();
        };
    channel.writeInbound(piece("a"), piece("c"));
    assertThat(app.content).hasToString("ab|c|");
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void everyRefusalCloses() throws Exception {
    OutOfMemoryError refusal = new OutOfMemoryError("injected");
    Throwable direct = newOutOfDirectMemoryError();
    for (Throwable thrown :
        List.of(
            refusal,
            direct,
            new DecoderException(refusal),
            new IOException(new DecoderException("deep", direct)),
            new Error("of a decoder"))) {
      assertThat(isClosedBy(thrown)).as("%s", thrown).isTrue();
    }
  }

  @Test
  void nothingElseCloses() {
    Exception one = new IOException("one");
    Exception other = new IOException("other", one);
    one.initCause(other);
    for (Throwable thrown : List.of(one, new DecoderException("bad input"))) {
      assertThat(isClosedBy(thrown)).as("%s", thrown).isFalse();
    }
  }

  private boolean isClosedBy(Throwable thrown) {
    EmbeddedChannel reader = new EmbeddedChannel();
    UnbrokenInput.addTo(reader.pipeline(), new Throwing(thrown));
    App got = new App();
    reader.pipeline().addLast(got);
    reader.writeInbound(piece("a!b"));
    reader.pipeline().fireChannelRead(piece("c"));
    assertThat(got.failures).containsExactly(thrown);
    boolean closed = !reader.isOpen();
    assertThat(got.content).hasToString(closed ? "a" : "abc");
    reader.finishAndReleaseAll();
    return closed;
  }

  private static Throwable newOutOfDirectMemoryError() throws Exception {
    var constructor = OutOfDirectMemoryError.class.getDeclaredConstructor(String.class);
    constructor.setAccessible(true);
    return constructor.newInstance("injected");
  }

  /** Handlers behind may fail as they like: their input has come. */
  @Test
  void anErrorBehindIsNotOfTheDecoders() {
    UnbrokenInput.addTo(channel.pipeline());
    channel.pipeline().addLast(new Throwing(new OutOfMemoryError("injected")), app);
    channel.writeInbound(piece("a!b"), piece("c"));
    assertThat(app.content).hasToString("abc");
    assertThat(channel.isOpen()).isTrue();
  }

  /** Passes each character on by itself; where one is "!", it throws instead. */
  private static final class Throwing extends ChannelInboundHandlerAdapter {
    private final Throwable thrown;
    private @Nullable Runnable meanwhile;

    Throwing(Throwable thrown) {
      this.thrown = thrown;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      Runnable first = meanwhile;
      meanwhile = null;
      if (first != null) {
        first.run();
      }
      split(
          (ByteBuf) message,
          part -> {
            if (part.getByte(part.readerIndex()) == '!') {
              part.release();
              ctx.fireExceptionCaught(thrown);
            } else {
              ctx.fireChannelRead(part);
            }
          });
    }
  }

  private static final class Splitting extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      split((ByteBuf) message, ctx::fireChannelRead);
    }
  }

  private static void split(ByteBuf bytes, Consumer<ByteBuf> parts) {
    while (bytes.isReadable()) {
      parts.accept(bytes.readRetainedSlice(1));
    }
    bytes.release();
  }

  private static final class App extends ChannelInboundHandlerAdapter {
    private final ByteArrayOutputStream content = new ByteArrayOutputStream();
    private final List<Throwable> failures = new ArrayList<>();
    private final @Nullable Frames kind;
    private boolean marksReads;

    App() {
      this(null);
    }

    App(@Nullable Frames kind) {
      this.kind = kind;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws IOException {
      ByteBuf part = (kind == null ? Frames.MERGED : kind).content(message);
      if (part != null) {
        part.readBytes(content, part.readableBytes());
        part.release();
      }
      ReferenceCountUtil.release(message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      if (marksReads) {
        content.write('|');
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      failures.add(cause);
    }
  }
}
