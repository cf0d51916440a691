package dev.weir.netty.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.PoolUnderTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.DuplicatedByteBuf;
import io.netty.buffer.SwappedByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Views of views refer to the buffer itself, in Netty's own types: what Netty's test of derivation
 * checks.
 */
@SuppressWarnings("deprecation")
class DerivedViewTest {
  /** The type that {@code CompositeByteBuf} unwraps. */
  private static final String NETTY_SLICE = "io.netty.buffer.AbstractUnpooledSlicedByteBuf";

  @RegisterExtension static final PoolUnderTest MEMORY = new PoolUnderTest();

  private ByteBuf buffer;

  @BeforeEach
  void allocate() {
    ByteBuf allocated = MEMORY.allocator().directBuffer(10_000, 10_000);
    while (allocated.unwrap() != null) {
      // A sampled buffer comes in a wrapper of Netty's leak detection, whose views are wrapped in
      // turn.
      allocated.release();
      allocated = MEMORY.allocator().directBuffer(10_000, 10_000);
    }
    buffer = allocated.setIndex(1, 7);
  }

  @AfterEach
  void release() {
    assertThat(buffer.release()).isTrue();
  }

  @Test
  void aSliceOfASliceIsASliceOfTheBuffer() {
    ByteBuf slice = buffer.slice(1, 7);
    ByteBuf inner = slice.slice(0, 6);
    for (ByteBuf each : new ByteBuf[] {slice, inner}) {
      assertThat(isNettySlice(each.getClass())).isTrue();
      assertThat(each.unwrap()).isSameAs(buffer);
      assertThat(each.readerIndex()).isZero();
      assertThat(each.maxCapacity()).isEqualTo(each.capacity());
    }
    assertThat(inner.writerIndex()).isEqualTo(6);
    slice.setIndex(1, 6);
    assertThat(buffer.readerIndex()).isEqualTo(1);
    assertThat(buffer.writerIndex()).isEqualTo(7);
  }

  @Test
  void aDuplicateOfADuplicateIsADuplicateOfTheBuffer() {
    ByteBuf duplicate = buffer.duplicate().setIndex(2, 6);
    ByteBuf inner = duplicate.duplicate();
    assertThat(inner).isInstanceOf(DuplicatedByteBuf.class).isNotSameAs(duplicate);
    assertThat(inner.unwrap()).isSameAs(buffer);
    assertThat(inner.readerIndex()).isEqualTo(2);
    assertThat(inner.writerIndex()).isEqualTo(6);
    assertThat(inner.capacity()).isEqualTo(buffer.capacity());
    assertThat(inner.maxCapacity()).isEqualTo(buffer.maxCapacity());
    assertThat(buffer.readerIndex()).isEqualTo(1);
  }

  @Test
  void aReadOnlyViewOfADuplicateIsOneOfTheBuffer() {
    ByteBuf duplicate = buffer.duplicate().setIndex(2, 6);
    ByteBuf view = Unpooled.unmodifiableBuffer(duplicate);
    assertThat(view.unwrap()).isSameAs(buffer);
    assertThat(view.readerIndex()).isEqualTo(2);
    ByteBuf again = Unpooled.unmodifiableBuffer(view);
    assertThat(again).isNotSameAs(view);
    assertThat(again.unwrap()).isSameAs(buffer);
  }

  @Test
  void swappingTwiceGivesTheBuffer() {
    ByteBuf swapped = buffer.order(ByteOrder.LITTLE_ENDIAN);
    assertThat(swapped).isInstanceOf(SwappedByteBuf.class);
    assertThat(swapped.unwrap()).isSameAs(buffer);
    assertThat(swapped.order(ByteOrder.LITTLE_ENDIAN)).isSameAs(swapped);
    assertThat(swapped.order(ByteOrder.BIG_ENDIAN)).isSameAs(buffer);
  }

  @Test
  void chainsOfViewsStayShort() {
    SplittableRandom random = new SplittableRandom(42);
    ByteBuf derived = buffer;
    for (int i = 0; i < 5_000; i++) {
      derived =
          switch (random.nextInt(4)) {
            case 0 -> derived.slice(1, derived.capacity() - 1);
            case 1 -> derived.duplicate();
            case 2 ->
                derived.order(
                    derived.order() == ByteOrder.BIG_ENDIAN
                        ? ByteOrder.LITTLE_ENDIAN
                        : ByteOrder.BIG_ENDIAN);
            default -> Unpooled.unmodifiableBuffer(derived);
          };
      assertThat(depth(derived)).as("depth after step %d", i).isLessThanOrEqualTo(3);
    }
  }

  @Test
  void growthOfTheBufferShowsInItsDuplicate() {
    ByteBuf growing = MEMORY.allocator().directBuffer(8).writeByte(5);
    ByteBuf duplicate = growing.duplicate();
    growing.capacity(100_000);
    duplicate.writerIndex(100_000);
    assertThat(duplicate.getByte(0)).isEqualTo((byte) 5);
    duplicate.setByte(99_999, 6);
    assertThat(growing.getByte(99_999)).isEqualTo((byte) 6);
    growing.release();
  }

  private static int depth(ByteBuf view) {
    int depth = 0;
    for (ByteBuf each = view; each.unwrap() != null; each = each.unwrap()) {
      depth++;
    }
    return depth;
  }

  private static boolean isNettySlice(Class<?> type) {
    return type != null
        && (type.getName().equals(NETTY_SLICE) || isNettySlice(type.getSuperclass()));
  }
}
