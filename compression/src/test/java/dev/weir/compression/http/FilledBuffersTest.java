package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.compression.codec.Encoder;
import dev.weir.compression.codec.Step;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Output of one content after the other goes on in full buffers. */
class FilledBuffersTest {
  private static final int KIB = 1 << 10;

  private final UnpooledByteBufAllocator allocator =
      new UnpooledByteBufAllocator(/* preferDirect= */ true);
  private final EncodedContent content =
      new EncodedContent(new Halving(), allocator, 8 * KIB, /* contentBytes= */ -1);
  private final ByteBuf sent = Unpooled.buffer();
  private int taken;

  @AfterEach
  void nothingIsLeft() {
    content.close();
    assertThat(allocator.metric().usedDirectMemory()).isZero();
    for (int i = 0; sent.isReadable(); i += 2) {
      assertThat(sent.readByte()).isEqualTo((byte) (i % 251));
    }
  }

  @Test
  void aBufferIsFilledBeforeItGoesOn() {
    assertThat(encode(6 * KIB, Step.TAKE)).isZero();
    assertThat(encode(6 * KIB, Step.TAKE)).isZero();
    assertThat(encode(6 * KIB, Step.TAKE)).isEqualTo(8 * KIB);
    assertThat(encode(20 * KIB, Step.TAKE)).isEqualTo(8 * KIB);
    assertThat(encode(6 * KIB, Step.END)).isEqualTo(6 * KIB);
  }

  @Test
  void oneThatIsJustFullGoesOn() {
    assertThat(encode(8 * KIB, Step.TAKE)).isZero();
    assertThat(encode(8 * KIB, Step.TAKE)).isEqualTo(8 * KIB);
    assertThat(allocator.metric().usedDirectMemory()).isZero();
    assertThat(encode(0, Step.END)).isZero();
  }

  @Test
  void aFlushTakesItAlongAndKeepsNoRoom() {
    assertThat(encode(6 * KIB, Step.TAKE)).isZero();
    assertThat(content.isPending()).isTrue();
    assertThat(encode(0, Step.FLUSH)).isEqualTo(3 * KIB);
    assertThat(allocator.metric().usedDirectMemory()).isZero();
    assertThat(encode(6 * KIB, Step.END)).isEqualTo(3 * KIB);
  }

  @Test
  void whatHasNotGoneOnIsReleasedWithAContentThatIsCutShort() {
    assertThat(encode(6 * KIB, Step.TAKE)).isZero();
    assertThat(allocator.metric().usedDirectMemory()).isEqualTo(8 * KIB);
  }

  /** How much goes on with a content. */
  private int encode(int bytes, Step step) {
    ByteBuf next = allocator.directBuffer(Math.max(1, bytes));
    for (int i = 0; i < bytes; i++) {
      next.writeByte(taken++ % 251);
    }
    ByteBuf output = content.encode(next, step);
    next.release();
    int sentBytes = output.readableBytes();
    sent.writeBytes(output);
    output.release();
    return sentBytes;
  }

  /** Leaves every other byte out. */
  private static final class Halving implements Encoder {
    @Override
    public boolean encode(ByteBuf source, ByteBuf target, Step step) {
      while (source.isReadable() && target.isWritable()) {
        target.writeByte(source.readByte());
        source.skipBytes(1);
      }
      return !source.isReadable();
    }

    @Override
    public void close() {}
  }
}
