package dev.weir.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetExceededError;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Heap buffers are counted, limited, and their large arrays used again. */
class HeapBufferTest {
  private static final int LARGE = 1 << 20;

  @RegisterExtension static final PoolUnderTest MEMORY = new PoolUnderTest();

  private final WeirAllocator allocator = MEMORY.allocator();

  @Test
  void theBudgetCountsTheArrayUntilTheRelease() {
    Budget tls = MEMORY.pool().rootBudget().child("tls", 1 << 20);
    ByteBufAllocator view = allocator.charging(tls);
    ByteBuf buffer = view.heapBuffer(1_000);
    assertThat(buffer.alloc()).isSameAs(view);
    assertThat(tls.heapBytes()).isEqualTo(1_000);
    assertThat(tls.chargedBytes()).isZero();
    buffer.capacity(3_000);
    assertThat(tls.heapBytes()).isEqualTo(3_000);
    assertThat(allocator.metric().usedHeapMemory()).isEqualTo(3_000);
    buffer.release();
    assertThat(tls.heapBytes()).isZero();
  }

  @Test
  void aViewPrefersHeapBuffersAsItsAllocatorDoes() {
    Budget tls = MEMORY.pool().rootBudget().child("preferring heap", 1 << 20);
    ByteBufAllocator view = WeirAllocator.preferringHeap(MEMORY.pool()).charging(tls);
    ByteBuf buffer = view.buffer(1_000);
    ByteBuf composite = view.compositeBuffer();

    assertThat(buffer.isDirect()).isFalse();
    assertThat(tls.heapBytes()).isEqualTo(1_000);
    assertThat(tls.chargedBytes()).isZero();
    assertThat(composite.capacity(100).isDirect()).isFalse();
    assertThat(allocator.charging(tls).buffer(1_000))
        .satisfies(direct -> {
          assertThat(direct.isDirect()).isTrue();
          assertThat(direct.release()).isTrue();
        });

    composite.release();
    buffer.release();
    assertThat(tls.heapBytes()).isZero();
  }

  @Test
  void aRefusalLeavesTheBufferAndTheCountIntact() {
    Budget narrow = MEMORY.pool().rootBudget().child("narrow heap", 1 << 20);
    narrow.setHeapLimitBytes(10_000);
    ByteBuf buffer = allocator.charging(narrow).heapBuffer(6_000).writeLong(42);
    assertThatThrownBy(() -> buffer.capacity(20_000))
        .isInstanceOf(BudgetExceededError.class)
        .hasMessageContaining("narrow heap")
        .hasMessageContaining("heap");
    assertThatThrownBy(() -> allocator.charging(narrow).heapBuffer(6_000))
        .isInstanceOf(BudgetExceededError.class);
    assertThat(buffer.capacity()).isEqualTo(6_000);
    assertThat(buffer.readLong()).isEqualTo(42);
    assertThat(narrow.heapBytes()).isEqualTo(6_000);
    buffer.release();
  }

  @Test
  void toShrinkNeedsNoRoom() {
    Budget narrow = MEMORY.pool().rootBudget().child("narrow heap", 1 << 20);
    narrow.setHeapLimitBytes(10_000);
    ByteBuf buffer = allocator.charging(narrow).heapBuffer(9_000).writeLong(42).writerIndex(9_000);

    buffer.capacity(5_000);

    assertThat(buffer.capacity()).isEqualTo(5_000);
    assertThat(buffer.writerIndex()).isEqualTo(5_000);
    assertThat(buffer.readLong()).isEqualTo(42);
    assertThat(narrow.heapBytes()).isEqualTo(5_000);
    buffer.release();
    assertThat(narrow.heapBytes()).isZero();
  }

  @Test
  void aLargeArrayIsUsedAgainUntilATrim() {
    byte[] array = arrayOfReleased(LARGE);
    assertThat(arrayOfReleased(LARGE)).isSameAs(array);
    assertThat(arrayOfReleased(LARGE - 1)).isNotSameAs(array).hasSize(LARGE - 1);
    allocator.trim();
    assertThat(arrayOfReleased(LARGE)).isNotSameAs(array);
  }

  @Test
  void theLatestArraysAreKeptAndNoMoreThanSixteen() {
    allocator.trim();
    List<ByteBuf> buffers = new ArrayList<>();
    List<byte[]> arrays = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      ByteBuf buffer = allocator.heapBuffer(LARGE, LARGE);
      buffers.add(buffer);
      arrays.add(buffer.array());
    }
    buffers.forEach(ByteBuf::release);
    buffers.clear();
    int reused = 0;
    for (int i = 0; i < 40; i++) {
      ByteBuf buffer = allocator.heapBuffer(LARGE, LARGE);
      buffers.add(buffer);
      byte[] array = buffer.array();
      int position = indexOf(arrays, array);
      if (position >= 0) {
        reused++;
        assertThat(position).isGreaterThanOrEqualTo(40 - 16);
      }
    }
    assertThat(reused).isEqualTo(16);
    buffers.forEach(ByteBuf::release);
    allocator.trim();
  }

  private byte[] arrayOfReleased(int bytes) {
    ByteBuf buffer = allocator.heapBuffer(bytes, bytes);
    byte[] array = buffer.array();
    buffer.release();
    return array;
  }

  private static int indexOf(List<byte[]> arrays, byte[] wanted) {
    for (int i = 0; i < arrays.size(); i++) {
      if (arrays.get(i) == wanted) {
        return i;
      }
    }
    return -1;
  }
}
