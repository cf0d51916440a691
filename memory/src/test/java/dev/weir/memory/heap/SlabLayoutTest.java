package dev.weir.memory.heap;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * How this JVM lays out slabs and heaps: what the owner writes with each slot, and what threads
 * read and write that free slots of others, lie on different cache lines, wherever the object
 * begins.
 */
class SlabLayoutTest {
  private static final long CACHE_LINE_BYTES = 64;

  /** Of each of the fields that follow, at most a reference or an {@code int}. */
  private static final long FIELD_BYTES = 4;

  private static final List<String> REMOTE = List.of("head", "links", "heap", "owner");

  /** {@code sun.misc.Unsafe}'s, which says where a field lies; nothing is accessed through it. */
  private static long offset(Class<?> type, String field) throws ReflectiveOperationException {
    Class<?> unsafeType = Class.forName("sun.misc.Unsafe");
    Field unsafe = unsafeType.getDeclaredField("theUnsafe");
    unsafe.setAccessible(true);
    Method offset = unsafeType.getMethod("objectFieldOffset", Field.class);
    return (long) offset.invoke(unsafe.get(null), type.getDeclaredField(field));
  }

  @Test
  void whatRemoteThreadsUseLiesALineBehindWhatTheOwnerWrites() throws ReflectiveOperationException {
    long written = offset(SlotStack.class, "freeLocalCount");
    for (String field : REMOTE) {
      assertThat(offset(RemoteSlots.class, field) - written)
          .as(field)
          .isGreaterThanOrEqualTo(CACHE_LINE_BYTES);
    }
  }

  @Test
  void theNextObjectIsALineAwayFromThat() throws ReflectiveOperationException {
    long end = offset(Slab.class, "gap7") + Long.BYTES;
    for (String field : REMOTE) {
      assertThat(end - offset(RemoteSlots.class, field) - FIELD_BYTES)
          .as(field)
          .isGreaterThanOrEqualTo(CACHE_LINE_BYTES);
    }
  }

  @Test
  void whatIsReadOfAHeapLiesALineBeforeWhatItsOwnerCounts() throws ReflectiveOperationException {
    long counted = offset(OwnedHeap.class, "untilSample");
    assertThat(counted - offset(Heap.class, "needsScan")).isGreaterThanOrEqualTo(CACHE_LINE_BYTES);
    assertThat(counted - offset(OwnedHeap.class, "owner")).isGreaterThanOrEqualTo(CACHE_LINE_BYTES);
  }
}
