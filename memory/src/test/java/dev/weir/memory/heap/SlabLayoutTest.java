package dev.weir.memory.heap;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import org.junit.jupiter.api.Test;

/**
 * How this JVM lays out a slab: what the owner writes with each slot, and what threads read and
 * write that free slots of others, lie on different cache lines wherever the object begins.
 */
class SlabLayoutTest {
  private static final long CACHE_LINE_BYTES = 64;

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
    long written = offset(LocalSlots.class, "freeLocalCount");
    for (String field : new String[] {"head", "links", "heap", "owner"}) {
      assertThat(offset(RemoteSlots.class, field) - written)
          .as(field)
          .isGreaterThanOrEqualTo(CACHE_LINE_BYTES);
    }
  }

  @Test
  void theGapKeepsTheNextObjectAway() throws ReflectiveOperationException {
    long end = offset(Slab.class, "gap5") + Long.BYTES;
    assertThat(end - offset(RemoteSlots.class, "head")).isGreaterThan(CACHE_LINE_BYTES - 16);
  }

  @Test
  void whatIsReadOfAHeapLiesALineBeforeWhatItsOwnerCounts() throws ReflectiveOperationException {
    assertThat(offset(OwnedHeap.class, "untilSample") - offset(Heap.class, "unattended"))
        .isGreaterThanOrEqualTo(CACHE_LINE_BYTES);
  }
}
