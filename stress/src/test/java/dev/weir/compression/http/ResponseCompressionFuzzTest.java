package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.compression.Compression;
import dev.weir.compression.ContentCoding;
import dev.weir.compression.FuzzedCompression;
import dev.weir.memory.budget.BudgetExceededError;
import dev.weir.stress.Mutations;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelFuture;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A {@link ResponseShape} is written through the compressor: every write ends, what the client gets
 * decodes to what was written, or, where the channel has closed for a reason, to the beginning of
 * that, and nothing is held at the end.
 */
class ResponseCompressionFuzzTest {
  private static final int TARGET_BYTES = 64 << 10;

  /** Each response that is cut short is a line otherwise. */
  private static final Logger SILENT =
      Logger.getLogger(HttpResponseCompressor.class.getPackageName());

  /** So that a few hundred bytes take several buffers. */
  private static final ResponseOptions OPTIONS =
      ResponseOptions.DEFAULT.withMinBytes(16).withChunkBytes(1 << 10);

  private static final ByteBufAllocator FEW_BUFFERS =
      FuzzedCompression.ALLOCATOR.charging(
          FuzzedCompression.ALLOCATOR.pool().rootBudget().child("few", 24 << 10));

  @BeforeAll
  static void logNothing() {
    SILENT.setLevel(Level.OFF);
  }

  @FuzzTest
  void fuzz(byte[] input) {
    if (input.length < ResponseShape.HEAD_BYTES) {
      return;
    }
    new Exchange(new ResponseShape(input)).run();
    FuzzedCompression.assertNothingHeld();
  }

  /** What the client gets for one request. */
  private static final class Received {
    final HttpResponse head;
    final ByteArrayOutputStream content = new ByteArrayOutputStream();
    boolean isEnded;

    Received(HttpResponse head) {
      this.head = head;
    }

    @Nullable String coding() {
      return head.headers().get(HttpHeaderNames.CONTENT_ENCODING);
    }
  }

  /** One connection. */
  private static final class Exchange {
    private final ResponseShape shape;
    private final byte[] content;
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final HttpResponseCompressor compressor;
    private final List<ChannelFuture> writes = new ArrayList<>();
    private boolean hasHappened;

    Exchange(ResponseShape shape) {
      this.shape = shape;
      this.content = shape.content();
      Compression compression =
          shape.hasNoContexts() ? FuzzedCompression.WITHOUT_MEMORY : FuzzedCompression.ROOMY;
      compressor =
          new HttpResponseCompressor(
              compression, OPTIONS, shape.hasFewBuffers() ? () -> FEW_BUFFERS : null);
      channel.config().setAllocator(FuzzedCompression.ALLOCATOR);
      if (shape.hasLittleRoom()) {
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 2));
      }
      channel.pipeline().addLast(compressor);
    }

    void run() {
      for (int i = 0; i < shape.responses(); i++) {
        channel.writeInbound(shape.request());
        ReferenceCountUtil.release(channel.readInbound());
      }
      for (int i = 0; i < shape.responses(); i++) {
        respond();
      }
      channel.flush();
      channel.runPendingTasks();
      boolean isOpen = channel.isOpen();
      List<Received> received = received();
      try {
        channel.finishAndReleaseAll();
      } catch (BudgetExceededError undelivered) {
        assertThat(shape.hasFewBuffers()).as("a flush finds no room").isTrue();
      }
      channel.runPendingTasks();
      assertThat(writes).as("every write ends").allMatch(ChannelFuture::isDone);
      if (!shape.maySuffer()) {
        channel.checkException();
        assertThat(isOpen).as("still open").isTrue();
        assertThat(writes).allMatch(ChannelFuture::isSuccess);
        assertThat(received).hasSize(shape.responses()).allMatch(each -> each.isEnded);
      }
      received.forEach(this::judge);
    }

    // What the application does.

    private void respond() {
      if (shape.isAnnounced()) {
        write(
            new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, buffer(new byte[0])));
      }
      if (shape.isWhole()) {
        write(
            new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                shape.status(),
                buffer(content),
                shape.headers(),
                trailers()));
        return;
      }
      write(new DefaultHttpResponse(HttpVersion.HTTP_1_1, shape.status(), shape.headers()));
      List<byte[]> pieces = Mutations.pieces(content, 0, shape.pieceBytes());
      boolean lastHasContent = shape.endsWithContent() && !pieces.isEmpty();
      for (byte[] piece : lastHasContent ? pieces.subList(0, pieces.size() - 1) : pieces) {
        write(shape.comesAsBareBytes() ? buffer(piece) : new DefaultHttpContent(buffer(piece)));
      }
      if (!shape.omitsItsEnd()) {
        byte[] last = lastHasContent ? pieces.getLast() : new byte[0];
        write(new DefaultLastHttpContent(buffer(last), trailers()));
      }
    }

    private HttpHeaders trailers() {
      return shape.hasTrailers()
          ? new DefaultHttpHeaders().set("Digest", "x=").set("Trailing", "1")
          : EmptyHttpHeaders.INSTANCE;
    }

    private ByteBuf buffer(byte[] bytes) {
      ByteBufAllocator allocator = FuzzedCompression.ALLOCATOR;
      int capacity = Math.max(1, bytes.length);
      return (shape.isOnHeap() ? allocator.heapBuffer(capacity) : allocator.directBuffer(capacity))
          .writeBytes(bytes);
    }

    private void write(Object message) {
      if (!hasHappened && writes.size() == shape.eventAt()) {
        hasHappened = true;
        if (shape.removesTheHandler() && channel.isOpen()) {
          channel.pipeline().remove(compressor);
        }
        if (shape.closes()) {
          channel.close();
        }
      }
      writes.add(channel.write(message));
      if (shape.isFlushedOften()) {
        channel.flush();
      }
      channel.runPendingTasks();
    }

    // What the client gets.

    private List<Received> received() {
      List<Received> all = new ArrayList<>();
      for (Object message = channel.readOutbound();
          message != null;
          message = channel.readOutbound()) {
        if (message instanceof HttpResponse head
            && !head.status().equals(HttpResponseStatus.CONTINUE)) {
          all.add(new Received(head));
        }
        boolean isContinue =
            message instanceof HttpResponse head
                && head.status().equals(HttpResponseStatus.CONTINUE);
        ByteBuf bytes =
            message instanceof HttpContent part
                ? part.content()
                : message instanceof ByteBuf bare ? bare : null;
        if (bytes != null && !isContinue) {
          assertThat(all).as("a head comes first").isNotEmpty();
          Received last = all.getLast();
          assertThat(last.isEnded && bytes.isReadable()).as("content behind the end").isFalse();
          last.content.writeBytes(ByteBufUtil.getBytes(bytes));
          last.isEnded |= message instanceof LastHttpContent;
        }
        ReferenceCountUtil.release(message);
      }
      assertThat(all).hasSizeLessThanOrEqualTo(shape.responses());
      return all;
    }

    private void judge(Received received) {
      if (received.head.status().equals(shape.status())) {
        boolean isWhole = received.isEnded && !shape.maySuffer();
        byte[] decoded = decoded(received, isWhole);
        int expected = isWhole ? content.length : Math.min(decoded.length, content.length);
        assertThat(decoded).isEqualTo(Arrays.copyOf(content, expected));
        judgeLength(received);
      } else {
        assertThat(received.head.status().code()).isIn(406, 503);
        assertThat(shape.status().codeClass()).isEqualTo(HttpStatusClass.SUCCESS);
        assertThat(shape.accepted()).contains("q=0");
        assertThat(received.content.size()).isZero();
      }
    }

    private byte[] decoded(Received received, boolean isWhole) {
      byte[] bytes = received.content.toByteArray();
      String token = received.coding();
      boolean isOurs = token != null && shape.ownCoding().isEmpty() && shape.hasContent();
      if (!isOurs) {
        return bytes;
      }
      ContentCoding coding =
          FuzzedCompression.ROOMY.codings().stream()
              .filter(each -> each.token().equals(token))
              .findFirst()
              .orElseThrow();
      assertThat(AcceptEncoding.parse(List.of(shape.accepted())).choose(List.of(coding)))
          .as("what the client accepts")
          .isEqualTo(coding);
      return FuzzedCompression.decoded(
          coding, List.of(bytes), TARGET_BYTES, Integer.MAX_VALUE, isWhole);
    }

    private void judgeLength(Received received) {
      String length = received.head.headers().get(HttpHeaderNames.CONTENT_LENGTH);
      if (length != null && received.isEnded && shape.hasContent() && !shape.maySuffer()) {
        assertThat(Long.parseLong(length)).isEqualTo(received.content.size());
      }
    }
  }

  @Test
  void changedSeeds() throws Exception {
    Mutations.run(getClass(), this::fuzz);
  }
}
