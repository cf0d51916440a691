package dev.weir.compression.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.compression.Compression;
import dev.weir.compression.CompressionOptions;
import dev.weir.compression.ZstdBlocks;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;
import dev.weir.netty.WeirAllocator;
import dev.weir.netty.flow.WeirAdmission;
import dev.weir.netty.http.AggregatorOptions;
import dev.weir.netty.http.BudgetedHttpAggregator;
import dev.weir.netty.write.Owned;
import dev.weir.stress.Mutations;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * The first byte says which coding a request's body claims to be in, the second into what packets
 * it is cut, the third how it is framed, whether it ends and whether there is memory; the rest is
 * the body. It goes through a decompressor to an aggregator behind it: whatever it is, it arrives
 * whole, the same in small packets as at once, or is refused with an answer; nothing is thrown, and
 * nothing is held at the end.
 */
class RequestDecompressionFuzzTest {
  private static final String[] CODINGS = {"zstd", "br", "gzip", "lzma", "gzip, zstd", "identity"};
  private static final int CHUNKED = 1;
  private static final int ENDS_EARLY = 2;
  private static final int NO_MEMORY = 4;
  private static final int MANUAL_READS = 8;
  private static final int HEAD_BYTES = 3;
  private static final int MAXIMUM_BYTES = 64 << 10;

  private static final Pool POOL = Pool.create(PoolOptions.withLimit(64 << 20));
  private static final WeirAllocator ALLOCATOR = new WeirAllocator(POOL);
  private static final Budget CONTEXTS = POOL.rootBudget().child("contexts", Budget.UNLIMITED);
  private static final Compression COMPRESSION =
      Compression.create(POOL, CONTEXTS, CompressionOptions.DEFAULT);
  private static final Compression WITHOUT_MEMORY =
      Compression.create(POOL, POOL.rootBudget().child("none", 1), CompressionOptions.DEFAULT);

  @FuzzTest
  void fuzz(byte[] input) {
    if (input.length < HEAD_BYTES) {
      return;
    }
    String coding = CODINGS[(input[0] & 0xff) % CODINGS.length];
    byte[] body = Arrays.copyOfRange(input, HEAD_BYTES, input.length);
    Outcome atOnce = send(coding, body, Math.max(1, body.length), input[2]);
    Outcome inPackets = send(coding, body, 1 + (input[1] & 0x3f), input[2]);
    // Damage behind what is looked at may be found early or not at all.
    if (!coding.equals("zstd") || !ZstdBlocks.hasEmptyCompressed(body)) {
      assertThat(inPackets.seen()).isEqualTo(atOnce.seen());
    }
  }

  /** What has reached the application, and what the client has got. */
  private record Outcome(List<String> seen, String answers) {}

  private static Outcome send(String coding, byte[] body, int packetBytes, int how) {
    List<String> seen = new ArrayList<>();
    EmbeddedChannel channel =
        new EmbeddedChannel(
            new HttpServerCodec(),
            new HttpRequestDecompressor(
                (how & NO_MEMORY) == 0 ? COMPRESSION : WITHOUT_MEMORY,
                RequestOptions.upTo(MAXIMUM_BYTES)),
            new BudgetedHttpAggregator(
                new WeirAdmission(ALLOCATOR), AggregatorOptions.upTo(MAXIMUM_BYTES)),
            new Application(seen));
    channel.config().setAllocator(ALLOCATOR);
    channel.config().setAutoRead((how & MANUAL_READS) == 0);
    deliver(channel, head(coding, body, how).getBytes(US_ASCII));
    for (byte[] packet : Mutations.pieces(body, 0, packetBytes)) {
      deliver(channel, framed(packet, how));
    }
    boolean whole = (how & ENDS_EARLY) == 0;
    if (!whole) {
      if (channel.isOpen()) {
        channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
      }
    } else if ((how & CHUNKED) != 0) {
      deliver(channel, "0\r\n\r\n".getBytes(US_ASCII));
    }
    // A refusal gives its client a moment to read it.
    channel.advanceTimeBy(1, TimeUnit.HOURS);
    channel.runPendingTasks();
    String answers = answers(channel);
    if (whole) {
      assertThat(answers).as("an answer").startsWith("HTTP/1.1 ");
    }
    assertThat(answers).doesNotContain("HTTP/1.1 500");
    channel.finishAndReleaseAll();
    channel.runPendingTasks();
    channel.checkException();
    assertThat(CONTEXTS.chargedBytes()).isEqualTo(COMPRESSION.idleBytes());
    COMPRESSION.destroyIdle(Long.MAX_VALUE);
    assertThat(POOL.liveBlockBytes()).isZero();
    return new Outcome(seen, answers);
  }

  private static String head(String coding, byte[] body, int how) {
    int length = body.length + ((how & ENDS_EARLY) == 0 ? 0 : 1);
    return "POST / HTTP/1.1\r\nHost: weir\r\nContent-Encoding: "
        + coding
        + ((how & CHUNKED) == 0
            ? "\r\nContent-Length: " + length
            : "\r\nTransfer-Encoding: chunked")
        + "\r\n\r\n";
  }

  private static byte[] framed(byte[] packet, int how) {
    if ((how & CHUNKED) == 0) {
      return packet;
    }
    ByteArrayOutputStream chunk = new ByteArrayOutputStream();
    chunk.writeBytes((Integer.toHexString(packet.length) + "\r\n").getBytes(US_ASCII));
    chunk.writeBytes(packet);
    chunk.writeBytes("\r\n".getBytes(US_ASCII));
    return chunk.toByteArray();
  }

  private static void deliver(EmbeddedChannel channel, byte[] packet) {
    if (channel.isOpen()) {
      channel.read();
      channel.writeInbound(ALLOCATOR.directBuffer(Math.max(1, packet.length)).writeBytes(packet));
      channel.runPendingTasks();
    }
  }

  private static String answers(EmbeddedChannel channel) {
    StringBuilder answers = new StringBuilder();
    for (ByteBuf part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
      answers.append(part.toString(US_ASCII));
      part.release();
    }
    return answers.toString();
  }

  @Test
  void changedSeeds() throws Exception {
    Mutations.run(getClass(), this::fuzz);
  }

  private static final class Application extends SimpleChannelInboundHandler<FullHttpRequest> {
    private final List<String> seen;

    Application(List<String> seen) {
      this.seen = seen;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
      assertThat(request.content().readableBytes()).isLessThanOrEqualTo(MAXIMUM_BYTES);
      assertThat(request.decoderResult().isSuccess()).isTrue();
      seen.add(
          request.headers().get(HttpHeaderNames.CONTENT_ENCODING)
              + " "
              + request.content().readableBytes()
              + " "
              + ByteBufUtil.hashCode(request.content()));
      DefaultFullHttpResponse response =
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1, HttpResponseStatus.OK, ctx.alloc().buffer(1).writeByte('x'));
      HttpUtil.setContentLength(response, 1);
      Owned.send(ctx, response);
    }
  }
}
