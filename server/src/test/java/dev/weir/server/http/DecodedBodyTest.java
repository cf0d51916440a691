package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.compression.codec.Decoder;
import dev.weir.compression.http.DecodedContent;
import dev.weir.compression.http.RequestOptions;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What becomes of the pieces of an encoded body. */
class DecodedBodyTest {
  private static final int CONTENT_BYTES = 5 * DecodedBody.TURN_BYTES;

  private final UnreachableLoop loop = new UnreachableLoop(null);
  private final List<Throwable> failures = new ArrayList<>();
  private int bytes;
  private boolean ended;
  private DecodedBody body;

  /** One byte stands for all of the content. */
  private static final class Expanding implements Decoder {
    private int left = CONTENT_BYTES;

    @Override
    public boolean decode(ByteBuf source, ByteBuf target) {
      int length = Math.min(left, target.writableBytes());
      target.writeZero(length);
      left -= length;
      if (left == 0) {
        source.skipBytes(source.readableBytes());
      }
      return left == 0;
    }

    @Override
    public void finish() {}

    @Override
    public void close() {}
  }

  /** As a sink does that has nothing to wait for. */
  private void take(ByteBuf piece, boolean last) {
    bytes += piece.readableBytes();
    piece.release();
    ended |= last;
    if (!last) {
      body.readBody();
    }
  }

  private void open(UnreachableLoop at) {
    DecodedContent content =
        new DecodedContent(
            new Expanding(), RequestOptions.upTo(CONTENT_BYTES).withRatio(CONTENT_BYTES, 0));
    body = new DecodedBody(at.exchange(), content, this::take, failures::add);
    body.readBody();
  }

  @Test
  void aPieceThatStandsForALotIsHandedOnInSeveralTurnsOfTheEventLoop() {
    open(loop);
    body.accept(Unpooled.directBuffer().writeByte(1), /* last= */ true);
    int turns = 1;
    for (int before = 0; !loop.refused.isEmpty(); before = bytes, turns++) {
      assertThat(bytes - before).isLessThan(2 * DecodedBody.TURN_BYTES);
      assertThat(loop.refused).as("one task at a time").hasSize(1);
      body.readBody();
      assertThat(loop.refused).as("nobody is served before").hasSize(1);
      loop.refused.removeFirst().run();
    }

    assertThat(turns).isGreaterThanOrEqualTo(CONTENT_BYTES / DecodedBody.TURN_BYTES);
    assertThat(bytes).isEqualTo(CONTENT_BYTES);
    assertThat(ended).isTrue();
    assertThat(failures).isEmpty();
  }
}
