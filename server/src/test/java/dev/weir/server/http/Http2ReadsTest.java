package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.streams.CreateRequest;
import dev.weir.streams.Payload;
import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.Http2FrameTypes;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When the socket of a connection is read whose stream holds what came from the pool's reserve. */
class Http2ReadsTest {
  private static final int FLAGS_INDEX = 4;
  private static final int RESERVED_BYTES = 2 << 10;
  private static final Duration LOOK = Duration.ofMillis(100);

  @TempDir Path directory;
  private EmbeddedNode node;
  private EmbeddedChannel channel;
  private final List<ByteBuf> filling = new ArrayList<>();
  private final CountReads reads = new CountReads();

  /** A connection with a stream that holds a body which nobody takes. */
  @BeforeEach
  void open() throws Exception {
    node = new EmbeddedNode(directory);
    node.store.create(CreateRequest.of("a", "text/plain"), new Payload.None()).join();
    channel = node.connect();
    node.send(channel, Http2Wire.preface(1 << 16));
    byte[] head = Http2Wire.get(1, "/v1/stream/a?offset=now&live=sse");
    head[FLAGS_INDEX] &= ~1;
    node.send(channel, head);
    node.run(channel);
    channel.pipeline().addFirst(reads);
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    empty();
    channel.finishAndReleaseAll();
    node.close();
  }

  private void fill() {
    for (int bytes : new int[] {1 << 20, 64 << 10, 8 << 10}) {
      boolean room = true;
      while (room) {
        try {
          filling.add(node.allocator.directBuffer(bytes));
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

  /** What a socket is read into when there is nothing else. */
  private void sendInReserve() {
    byte[] frame = Http2Wire.frame(Http2FrameTypes.DATA, 0, 1, new byte[1_000]);
    ByteBuf small = node.allocator.directBuffer(RESERVED_BYTES, RESERVED_BYTES);
    channel.writeInbound(small.writeBytes(frame));
    node.run(channel);
  }

  @Test
  void itIsReadWhenThePoolHasRoomAgain() {
    fill();
    sendInReserve();
    node.pass(channel, LOOK.multipliedBy(10));
    assertThat(reads.count).as("reads without room").isZero();
    empty();
    node.pass(channel, LOOK.multipliedBy(16));
    assertThat(reads.count).as("reads with room").isOne();
  }

  @Test
  void roomThatIsGoneAtTheReadIsLookedForNoMore() {
    fill();
    sendInReserve();
    empty();
    node.pass(channel, LOOK);
    assertThat(reads.count).as("reads with room").isOne();
    fill();
    sendInReserve();
    empty();
    node.pass(channel, LOOK.multipliedBy(100));
    assertThat(reads.count).as("reads behind it").isOne();
  }

  /** It may have sent more, for all that the node knows. */
  @Test
  void theTimeInWhichItIsNotReadIsNotAnUploadsOwn() throws Exception {
    node.send(channel, Http2Wire.post(3, "/v1/stream/a", "text/plain"));
    node.run(channel);
    Duration most = Duration.ofSeconds(22);
    node.pass(channel, most);
    fill();
    sendInReserve();
    assertThat(uploadIsAnswered()).as("before").isFalse();
    node.pass(channel, most);
    node.pass(channel, most);
    assertThat(uploadIsAnswered()).as("while it is not read").isFalse();
    empty();
    node.pass(channel, LOOK.multipliedBy(16));
    assertThat(uploadIsAnswered()).as("when it is read").isFalse();
    node.pass(channel, most);
    assertThat(uploadIsAnswered()).as("when nothing came then either").isTrue();
  }

  private boolean uploadIsAnswered() {
    // The status, three letters long.
    return new String(EmbeddedNode.received(channel), StandardCharsets.US_ASCII)
        .contains("\u0003408");
  }

  @Test
  void itLooksOnlyWhileItIsNotRead() {
    long before = channel.runScheduledPendingTasks();
    node.send(channel, Http2Wire.frame(Http2FrameTypes.DATA, 0, 1, new byte[1_000]));
    node.run(channel);
    assertThat(reads.count).isOne();
    assertThat(channel.runScheduledPendingTasks()).as("the next task").isEqualTo(before);
    sendInReserve();
    assertThat(reads.count).isOne();
    assertThat(channel.runScheduledPendingTasks()).isEqualTo(LOOK.toNanos());
  }
}
