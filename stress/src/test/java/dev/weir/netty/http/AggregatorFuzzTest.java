package dev.weir.netty.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.netty.WeirAllocator;
import dev.weir.netty.flow.Admission;
import dev.weir.netty.flow.AdmissionRefusedException;
import dev.weir.netty.flow.WeirAdmission;
import dev.weir.netty.write.Owned;
import dev.weir.netty.write.WriteGate;
import dev.weir.netty.write.WriteGateOptions;
import dev.weir.stress.Mutations;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * The first byte says how what a client sends is cut into packets, the second how it ends and
 * whether there is memory; the rest is sent to a service made of the handlers. How it is cut
 * changes nothing in what the service sees, nothing is thrown, and nothing is held at the end.
 */
class AggregatorFuzzTest {
  private static final int ENDS_ITS_SIDE = 1;
  private static final int NO_MEMORY = 2;
  private static final int MAXIMUM_BYTES = 1_000;

  private static final Pool POOL = Pool.create(PoolOptions.withLimit(8L << 20));
  private static final WeirAllocator ALLOCATOR = new WeirAllocator(POOL);
  private static final AggregatorOptions OPTIONS =
      AggregatorOptions.upTo(MAXIMUM_BYTES).withStepBytes(16);
  private static final Admission FULL =
      (bytes, deadline) ->
          CompletableFuture.failedFuture(
              new AdmissionRefusedException(AdmissionRefusedException.Reason.DEADLINE, "full"));

  @FuzzTest
  void fuzz(byte[] input) {
    if (input.length < 2) {
      return;
    }
    byte[] sent = Arrays.copyOfRange(input, 2, input.length);
    assertThat(seen(sent, 1 + (input[0] & 0x3f), input[1]))
        .isEqualTo(seen(sent, Math.max(1, sent.length), input[1]));
    assertThat(POOL.liveBlockBytes()).isZero();
  }

  /** What reaches the application. */
  private static List<String> seen(byte[] sent, int packetBytes, int how) {
    List<String> seen = new ArrayList<>();
    WriteGate gate = new WriteGate(WriteGateOptions.within(1 << 20));
    EmbeddedChannel channel =
        new EmbeddedChannel(
            gate.newHandler(),
            new HttpServerCodec(),
            new BudgetedHttpAggregator(
                (how & NO_MEMORY) == 0 ? new WeirAdmission(ALLOCATOR) : FULL, OPTIONS),
            new Application(seen));
    channel.config().setAllocator(ALLOCATOR);
    for (byte[] packet : Mutations.pieces(sent, 0, packetBytes)) {
      if (!channel.isOpen()) {
        break;
      }
      channel.writeInbound(ALLOCATOR.directBuffer().writeBytes(packet));
    }
    if ((how & ENDS_ITS_SIDE) != 0 && channel.isOpen()) {
      channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
    }
    channel.runPendingTasks();
    channel.finishAndReleaseAll();
    channel.runPendingTasks();
    channel.checkException();
    assertThat(POOL.liveBlockBytes()).isZero();
    assertThat(gate.queuedBytes()).isZero();
    return seen;
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
          request.method()
              + " "
              + request.uri()
              + " "
              + request.content().toString(StandardCharsets.ISO_8859_1)
              + request.trailingHeaders());
      ByteBuf content = ctx.alloc().buffer(1).writeByte('x');
      DefaultFullHttpResponse response =
          new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, content);
      HttpUtil.setContentLength(response, 1);
      Owned.send(ctx, response);
    }
  }
}
