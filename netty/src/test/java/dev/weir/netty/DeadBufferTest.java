package dev.weir.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.memory.PoolOptions;
import dev.weir.memory.hardening.Hardening;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.IllegalReferenceCountException;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a buffer tells of itself after its last release is what Netty's pooled ones do. */
class DeadBufferTest {
  @RegisterExtension static final PoolUnderTest MEMORY = new PoolUnderTest();

  @RegisterExtension
  static final PoolUnderTest HARDENED =
      new PoolUnderTest(PoolOptions.withLimit(64L << 20).withHardening(Hardening.full()));

  static Stream<ByteBufAllocator> allocators() {
    return Stream.of(
        new PooledByteBufAllocator(/* preferDirect= */ true),
        MEMORY.allocator(),
        HARDENED.allocator());
  }

  @ParameterizedTest
  @MethodSource("allocators")
  void aDeadBufferHasNoAddressAndKeepsItsCapacity(ByteBufAllocator allocator) {
    for (int bytes : new int[] {16, 200_000}) {
      ByteBuf buffer = allocator.directBuffer(bytes);
      ByteBuf slice = buffer.slice(4, 8);
      buffer.release();

      assertThat(buffer.hasMemoryAddress()).isFalse();
      assertThat(slice.hasMemoryAddress()).isFalse();
      assertThatThrownBy(buffer::memoryAddress).isInstanceOf(IllegalReferenceCountException.class);
      assertThat(buffer.capacity()).isEqualTo(bytes);
      assertThat(slice.capacity()).isEqualTo(8);
    }
  }

  @ParameterizedTest
  @MethodSource("allocators")
  void nothingIsCopiedIntoItOrOutOfIt(ByteBufAllocator allocator) {
    ByteBuf live = allocator.directBuffer(16, 16).writeLong(1);
    ByteBuf dead = allocator.directBuffer(16, 16).writeLong(2);
    dead.release();

    assertThatThrownBy(() -> live.getBytes(0, dead, 0, 8))
        .isInstanceOf(IllegalReferenceCountException.class);
    assertThatThrownBy(() -> live.setBytes(0, dead, 0, 8))
        .isInstanceOf(IllegalReferenceCountException.class);
    assertThat(live.readLong()).isEqualTo(1);
    live.release();
  }
}
