package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.weir.streams.CreateRequest;
import dev.weir.streams.Payload;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameTypes;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A stream for which the node has no place is answered, and gone; one that is reset takes none. */
class RefusedStreamTest {
  private static final int WINDOW_BYTES = 1 << 16;
  private static final int END_STREAM = 1;

  /** More are a flood. */
  private static final int MOST_RESETS = 150;

  @TempDir Path directory;

  @Test
  void nothingWaitsForItsEnd() throws Exception {
    try (EmbeddedNode node = new EmbeddedNode(directory)) {
      node.store.create(CreateRequest.of("a", "text/plain"), new Payload.None()).join();
      EmbeddedChannel channel = node.connect();
      boolean free = true;
      while (free) {
        free = node.services.permits().tryTake();
      }
      node.send(channel, Http2Wire.preface(WINDOW_BYTES));
      node.send(channel, Http2Wire.get(1, "/v1/stream/a?offset=now&live=long-poll"));
      node.run(channel);
      EmbeddedNode.received(channel);
      long nextNanos = channel.runScheduledPendingTasks();
      node.send(channel, Http2Wire.get(3, "/v1/stream/a"));
      node.run(channel);
      List<Http2Wire.Frame> answer = Http2Wire.frames(EmbeddedNode.received(channel));
      assertThat(answer).isNotEmpty().allMatch(frame -> frame.stream() == 3);
      assertThat(answer.getLast().type()).isEqualTo(Http2FrameTypes.DATA);
      assertThat(answer.getLast().flags()).isEqualTo(END_STREAM);
      assertThat(channel.runScheduledPendingTasks()).isEqualTo(nextNanos).isPositive();
      channel.finishAndReleaseAll();
    }
  }

  /** Each keeps its head, and what it is made of, until its client takes the answer. */
  @Test
  void noMoreWaitForTheirClientsThanThereArePlaces() throws Exception {
    try (EmbeddedNode node = new EmbeddedNode(directory)) {
      EmbeddedChannel channel = node.connect();
      boolean free = true;
      while (free) {
        free = node.services.permits().tryTake();
      }
      free = true;
      while (free) {
        free = node.services.refusals().tryTake();
      }
      node.services.refusals().giveBack();
      node.send(channel, Http2Wire.preface(0));
      node.send(channel, Http2Wire.get(1, "/v1/stream/a?offset=now&live=long-poll"));
      node.send(channel, Http2Wire.get(3, "/v1/stream/a"));
      node.send(channel, Http2Wire.get(5, "/v1/stream/a"));
      node.run(channel);
      List<Http2Wire.Frame> answers =
          Http2Wire.frames(EmbeddedNode.received(channel)).stream()
              .filter(frame -> frame.stream() > 1)
              .toList();
      assertThat(answers)
          .extracting(Http2Wire.Frame::stream, Http2Wire.Frame::type)
          .containsExactly(
              tuple(3, (int) Http2FrameTypes.HEADERS), tuple(5, (int) Http2FrameTypes.RST_STREAM));
      assertThat(answers.getLast().payload()).isEqualTo(code(Http2Error.REFUSED_STREAM));
      int held = node.services.refusals().taken();
      node.pass(channel, HttpLimits.LINGER);
      assertThat(node.services.refusals().taken()).isEqualTo(held - 1);
      channel.finishAndReleaseAll();
      assertThat(node.services.refusals().taken()).isEqualTo(held - 1);
    }
  }

  private static byte[] code(Http2Error error) {
    return ByteBuffer.allocate(4).putInt((int) error.code()).array();
  }

  @Test
  void streamsThatAreResetAtOnceTakeNoPlacesOfOthers() throws Exception {
    try (EmbeddedNode node = new EmbeddedNode(directory)) {
      node.store.create(CreateRequest.of("a", "text/plain"), new Payload.None()).join();
      EmbeddedChannel channel = node.connect();
      ByteArrayOutputStream packet = new ByteArrayOutputStream();
      packet.writeBytes(Http2Wire.preface(WINDOW_BYTES));
      int streams = Math.min(2 * node.services.limits().maxConnections(), MOST_RESETS);
      byte[] cancel = code(Http2Error.CANCEL);
      for (int stream = 1; stream < 2 * streams; stream += 2) {
        packet.writeBytes(Http2Wire.get(stream, "/v1/stream/a?offset=now&live=long-poll"));
        packet.writeBytes(Http2Wire.frame(Http2FrameTypes.RST_STREAM, 0, stream, cancel));
      }
      node.send(channel, packet.toByteArray());
      node.run(channel);
      assertThat(Http2Wire.frames(EmbeddedNode.received(channel)))
          .isNotEmpty()
          .as("no answer: nobody was refused")
          .noneMatch(frame -> frame.type() == Http2FrameTypes.HEADERS)
          .as("nor a reset, which no reset may be answered with")
          .noneMatch(frame -> frame.type() == Http2FrameTypes.RST_STREAM);
      assertThat(node.services.permits().taken()).as("the connection's").isOne();
      channel.finishAndReleaseAll();
    }
  }
}
