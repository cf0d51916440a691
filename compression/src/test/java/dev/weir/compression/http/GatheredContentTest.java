package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.compression.codec.Encoder;
import dev.weir.compression.codec.Step;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GatheredContentTest {
  private static final int KIB = 1 << 10;

  private final UnpooledByteBufAllocator allocator =
      new UnpooledByteBufAllocator(/* preferDirect= */ true);
  private final Recording encoder = new Recording();
  private final byte[] text = new byte[64 * KIB];
  private int taken;

  GatheredContentTest() {
    new Random(1).nextBytes(text);
  }

  @AfterEach
  void nothingIsLeft() {
    assertThat(allocator.metric().usedDirectMemory()).isZero();
    assertThat(encoder.closed).isTrue();
  }

  @Test
  void shortContentsGoThroughTheEncoderTogether() {
    try (EncodedContent content = content(allocator, 20 * KIB)) {
      take(content, KIB, 20);
    }
    assertThat(encoder.calls).containsExactly("16384 TAKE", "4096 END");
    assertThat(encoder.source.toByteArray()).isEqualTo(firstBytes(20 * KIB));
  }

  @Test
  void whatIsLongGoesBehindThem() {
    try (EncodedContent content = content(allocator, -1)) {
      take(content, 100, 3);
      take(content, 5 * KIB, 1);
      take(content, 4 * KIB, 5);
      encode(content, 0, Step.END);
    }
    assertThat(encoder.calls).containsExactly("300 TAKE", "5120 TAKE", "16384 TAKE", "4096 END");
    assertThat(encoder.source.toByteArray()).isEqualTo(firstBytes(300 + 25 * KIB));
  }

  @Test
  void aFlushTakesThemAlong() {
    try (EncodedContent content = content(allocator, -1)) {
      take(content, KIB, 2);
      assertThat(content.isPending()).isTrue();
      encode(content, 0, Step.FLUSH);
      assertThat(content.isPending()).isFalse();
      assertThat(allocator.metric().usedDirectMemory()).isZero();
      encode(content, 0, Step.FLUSH);
      take(content, KIB, 1);
      encode(content, KIB, Step.END);
    }
    assertThat(encoder.calls).containsExactly("2048 FLUSH", "0 FLUSH", "2048 END");
    assertThat(encoder.source.toByteArray()).isEqualTo(firstBytes(4 * KIB));
  }

  @Test
  void whatIsShortAndAllThereIsWaitsForNothing() {
    try (EncodedContent content = content(allocator, KIB)) {
      take(content, KIB, 1);
    }
    assertThat(encoder.calls).containsExactly("1024 END");
  }

  @Test
  void withoutRoomForThemEachGoesByItself() {
    Narrow narrow = new Narrow(allocator);
    try (EncodedContent content = content(narrow, -1)) {
      take(content, KIB, 2);
      encode(content, KIB, Step.END);
    }
    assertThat(narrow.refusals).isOne();
    assertThat(encoder.calls).containsExactly("1024 TAKE", "1024 TAKE", "1024 END");
    assertThat(encoder.source.toByteArray()).isEqualTo(firstBytes(3 * KIB));
  }

  @Test
  void whatWaitsIsReleasedWithAContentThatIsCutShort() {
    try (EncodedContent content = content(allocator, 20 * KIB)) {
      take(content, KIB, 3);
    }
    assertThat(encoder.calls).isEmpty();
  }

  private EncodedContent content(ByteBufAllocator from, long bytes) {
    return new EncodedContent(encoder, from, 8 * KIB, bytes);
  }

  private void take(EncodedContent content, int bytes, int times) {
    for (int i = 0; i < times; i++) {
      ByteBuf next = next(bytes);
      content.take(next).release();
      assertThat(next.isReadable()).isFalse();
      next.release();
    }
  }

  private void encode(EncodedContent content, int bytes, Step step) {
    ByteBuf next = next(bytes);
    content.encode(next, step).release();
    next.release();
  }

  private ByteBuf next(int bytes) {
    taken += bytes;
    return bytes == 0
        ? Unpooled.EMPTY_BUFFER
        : allocator.directBuffer(bytes).writeBytes(text, taken - bytes, bytes);
  }

  private byte[] firstBytes(int bytes) {
    return Arrays.copyOf(text, bytes);
  }

  /** Makes nothing of what it gets, and remembers all of it. */
  private static final class Recording implements Encoder {
    final List<String> calls = new ArrayList<>();
    final ByteArrayOutputStream source = new ByteArrayOutputStream();
    boolean closed;

    @Override
    public boolean encode(ByteBuf from, ByteBuf target, Step step) {
      calls.add(from.readableBytes() + " " + step);
      source.writeBytes(ByteBufUtil.getBytes(from));
      from.skipBytes(from.readableBytes());
      return true;
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  /** Has no room for what is as long as contents that wait together. */
  private static final class Narrow extends AbstractByteBufAllocator {
    private final ByteBufAllocator delegate;
    private int refusals;

    Narrow(ByteBufAllocator delegate) {
      super(/* preferDirect= */ true);
      this.delegate = delegate;
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
      return delegate.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
      return true;
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
      if (initialCapacity > 8 * KIB) {
        refusals++;
        throw new OutOfMemoryError(
            "Cannot reserve " + initialCapacity + " bytes of direct buffer memory");
      }
      return delegate.directBuffer(initialCapacity, maxCapacity);
    }
  }
}
