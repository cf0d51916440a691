package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.flow.SocketIntake;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The intake of a socket, with the decoder of the node. */
class SocketIntakeTest {
  private static final String HEAD = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  private static final String CHUNK = "1\r\nx\r\n";

  private final StrictRequestDecoder decoder = new StrictRequestDecoder();
  private final Reader reader = new Reader();
  private final EmbeddedChannel channel = new EmbeddedChannel();

  SocketIntakeTest() {
    channel.config().setAutoRead(false);
    channel
        .pipeline()
        .addLast(new SocketIntake(decoder), decoder, new FlowControlHandler(), reader);
  }

  /** Takes down what comes, and asks for more on the same stack if told to. */
  private static final class Reader extends ChannelInboundHandlerAdapter {
    private final List<String> seen = new ArrayList<>();
    private boolean greedy;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      seen.add(
          switch (message) {
            case HttpRequest request -> request.uri();
            case LastHttpContent last -> "end";
            case HttpContent content -> content.content().toString(StandardCharsets.US_ASCII);
            default -> message.toString();
          });
      ReferenceCountUtil.release(message);
      if (greedy) {
        ctx.read();
      }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      if (greedy) {
        // The socket gave bytes, but perhaps not enough for a message.
        ctx.read();
      }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      seen.add(event.getClass().getSimpleName());
    }
  }

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
  }

  private ByteBuf arrives(String text) {
    ByteBuf bytes = Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
    channel.writeInbound(bytes);
    return bytes;
  }

  @Test
  void oneMessageIsMadeForEachThatIsAskedFor() {
    channel.read();
    ByteBuf bytes = arrives(HEAD + CHUNK.repeat(10_000));
    for (int asked = 1; asked < 10; asked++) {
      assertThat(reader.seen).hasSize(asked);
      assertThat(decoder.messages()).isEqualTo(asked);
      channel.read();
    }
    assertThat(reader.seen).startsWith("/", "x", "x").hasSize(10);
    assertThat(bytes.refCnt()).isEqualTo(1);
  }

  @Test
  void aHeadWithoutABodyIsAsFarAsItGoes() {
    channel.read();
    arrives("GET /a HTTP/1.1\r\n\r\n".repeat(1000));
    assertThat(reader.seen).containsExactly("/a");
    assertThat(decoder.messages()).isEqualTo(2);
  }

  @Test
  void manyMessagesTakeNoDeepStack() {
    reader.greedy = true;
    channel.read();
    arrives(HEAD + CHUNK.repeat(100_000) + "0\r\n\r\n" + "GET /b HTTP/1.1\r\n\r\n");
    assertThat(reader.seen).hasSize(100_004).endsWith("end", "/b", "end");
  }

  @Test
  void aMessageMayComeInSingleBytes() {
    reader.greedy = true;
    channel.read();
    String text = HEAD + CHUNK + CHUNK + "0\r\n\r\n" + "GET /b HTTP/1.1\r\n\r\n";
    text.chars().forEach(c -> arrives(Character.toString(c)));
    assertThat(reader.seen).containsExactly("/", "x", "x", "end", "/b", "end");
  }

  @Test
  void theEndComesAfterEverythingBeforeIt() {
    channel.read();
    arrives(HEAD + CHUNK.repeat(2) + "0\r\n\r\n");
    channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
    for (int i = 0; i < 3; i++) {
      channel.read();
    }
    assertThat(reader.seen).containsExactly("/", "x", "x", "end");
    channel.read();
    assertThat(reader.seen).endsWith("end", "ChannelInputShutdownEvent");
  }

  @Test
  void theEndIsPassedOnAtOnceWhereNothingIsBeforeIt() {
    channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
    channel.pipeline().fireUserEventTriggered("another event");
    assertThat(reader.seen).containsExactly("ChannelInputShutdownEvent", "String");
  }
}
