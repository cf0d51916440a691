package dev.weir.netty.flow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.WeirAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2WindowUpdateFrame;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One frame for each that is requested, in memory that fits. */
class StreamIntakeTest {
  private static final int KIB = 1 << 10;
  private static final long LIMIT_BYTES = 8 << 20;

  private final WeirAllocator allocator = WeirAllocator.withLimit(LIMIT_BYTES);
  private final Http2Reads reads = new Http2Reads();
  private final StreamIntake intake = new StreamIntake(reads);
  private final Consumer consumer = new Consumer();
  private final EmbeddedChannel connection = new EmbeddedChannel();
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final List<ByteBuf> filling = new ArrayList<>();

  /** Notes what it is handed, and requests what comes meanwhile on the same stack. */
  private final class Consumer extends ChannelInboundHandlerAdapter {
    private final List<String> seen = new ArrayList<>();
    private int coming;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      if (message instanceof Http2DataFrame data) {
        String text = data.content().toString(StandardCharsets.US_ASCII);
        seen.add(data.isEndStream() ? text + "." : text);
        data.release();
        if (coming > 0) {
          coming--;
          data("x");
          intake.request();
        }
      } else {
        seen.add(((Http2HeadersFrame) message).headers().path().toString());
      }
    }
  }

  @BeforeEach
  void open() {
    connection.config().setAllocator(allocator);
    connection.pipeline().addLast(reads);
    channel.config().setAllocator(allocator);
    channel.pipeline().addLast(intake, consumer);
  }

  @AfterEach
  void everythingIsReleased() {
    empty();
    channel.finishAndReleaseAll();
    connection.finishAndReleaseAll();
    assertThat(allocator.pool().liveBlockBytes()).isZero();
    allocator.close();
  }

  private void head() {
    channel.writeInbound(new DefaultHttp2HeadersFrame(new DefaultHttp2Headers().path("/a")));
  }

  private void data(String text, int padding, boolean end) {
    ByteBuf bytes = allocator.directBuffer(Math.max(1, text.length()));
    bytes.writeCharSequence(text, StandardCharsets.US_ASCII);
    channel.writeInbound(new DefaultHttp2DataFrame(bytes, end, padding));
  }

  private void data(String text) {
    data(text, /* padding= */ 0, /* end= */ false);
  }

  private int returnedWindow() {
    int bytes = 0;
    for (Object next = channel.readOutbound(); next != null; next = channel.readOutbound()) {
      bytes += ((Http2WindowUpdateFrame) next).windowSizeIncrement();
    }
    return bytes;
  }

  private void fill() {
    for (int bytes = 1 << 20; bytes >= 8 * KIB; bytes /= 8) {
      boolean room = true;
      while (room) {
        try {
          filling.add(allocator.directBuffer(bytes));
        } catch (OutOfMemoryError refused) {
          room = false;
        }
      }
    }
  }

  private void empty() {
    filling.forEach(ByteBuf::release);
    filling.clear();
  }

  @Test
  void theHeadComesUnaskedAndEachPieceWhenItIsRequested() {
    head();
    data("a");
    data("b");
    assertThat(consumer.seen).containsExactly("/a");
    intake.request();
    assertThat(consumer.seen).as("what came meanwhile").containsExactly("/a", "ab");
    intake.request();
    data("c");
    data("d", /* padding= */ 0, /* end= */ true);
    assertThat(consumer.seen).containsExactly("/a", "ab", "c");
    assertThat(intake.isComplete()).isTrue();
    intake.request();
    intake.request();
    assertThat(consumer.seen).containsExactly("/a", "ab", "c", "d.");
  }

  @Test
  void theEndIsToldOnceWhenItIsRequested() {
    head();
    data("", /* padding= */ 0, /* end= */ true);
    assertThat(consumer.seen).containsExactly("/a");
    intake.request();
    intake.request();
    assertThat(consumer.seen).containsExactly("/a", ".");
  }

  @Test
  void trailersAreTheEnd() {
    head();
    data("a");
    channel.writeInbound(new DefaultHttp2HeadersFrame(new DefaultHttp2Headers(), true));
    intake.request();
    assertThat(consumer.seen).containsExactly("/a", "a.");
  }

  @Test
  void theWindowIsReturnedWhenAPieceIsUsedUp() {
    head();
    intake.request();
    data("abc", /* padding= */ 10, /* end= */ false);
    assertThat(returnedWindow()).as("while it is in use").isZero();
    intake.request();
    assertThat(returnedWindow()).isEqualTo(13);
    data("d");
    data("efg", /* padding= */ 5, /* end= */ false);
    assertThat(returnedWindow()).isZero();
    intake.request();
    assertThat(returnedWindow()).isEqualTo(1);
    intake.request();
    assertThat(returnedWindow()).isEqualTo(8);
    data("", /* padding= */ 7, /* end= */ false);
    assertThat(returnedWindow()).as("padding is used up at once").isEqualTo(7);
  }

  @Test
  void smallFramesAreHeldInOneBufferThatFits() {
    head();
    for (int i = 0; i < 10_000; i++) {
      data("x");
    }
    assertThat(allocator.pool().liveBlockBytes()).isBetween(10_000L, 32L * KIB);
    intake.request();
    assertThat(consumer.seen).containsExactly("/a", "x".repeat(10_000));
  }

  @Test
  void aPieceOfAReceiveBufferDoesNotKeepThat() {
    head();
    ByteBuf received = allocator.directBuffer(64 * KIB).writeZero(64 * KIB);
    channel.writeInbound(new DefaultHttp2DataFrame(received.readRetainedSlice(10)));
    received.release();
    assertThat(received.refCnt()).isZero();
    assertThat(allocator.pool().liveBlockBytes()).isLessThan(KIB);
  }

  @Test
  void aConsumerMayRequestOnTheSameStackHoweverMuchComes() {
    head();
    consumer.coming = 100_000;
    intake.request();
    data("x");
    assertThat(consumer.seen).hasSize(100_002);
  }

  @Test
  void withoutRoomItIsHeldInSmallBuffersAndTheSocketWaits() {
    ReadCount sockets = new ReadCount();
    connection.pipeline().addFirst(sockets);
    head();
    data("a");
    intake.request();
    fill();
    data("b".repeat(3 * KIB));
    data("c".repeat(3 * KIB));
    connection.read();
    assertThat(sockets.count).as("reads while it holds what came").isZero();
    intake.request();
    assertThat(sockets.count).as("while it holds a part").isZero();
    while (sockets.count == 0 && consumer.seen.size() < 10) {
      intake.request();
    }
    assertThat(sockets.count).as("once it holds nothing").isOne();
    assertThat(String.join("", consumer.seen))
        .isEqualTo("/aa" + "b".repeat(3 * KIB) + "c".repeat(3 * KIB));
  }

  @Test
  void whatIsDroppedReturnsNoWindowAndItsEndIsTold() {
    head();
    data("abc");
    intake.drop();
    data("d");
    assertThat(allocator.pool().liveBlockBytes()).isZero();
    assertThat(consumer.seen).containsExactly("/a");
    data("e", /* padding= */ 0, /* end= */ true);
    assertThat(consumer.seen).containsExactly("/a", ".");
    assertThat(returnedWindow()).isZero();
  }

  @Test
  void otherFramesAreReleasedAndWhatIsHeldGoesWithTheStream() {
    head();
    data("a");
    channel.writeInbound(new DefaultHttp2ResetFrame(Http2Error.CANCEL));
    channel.close();
    assertThat(consumer.seen).containsExactly("/a");
    assertThat(allocator.pool().liveBlockBytes()).isZero();
  }
}
