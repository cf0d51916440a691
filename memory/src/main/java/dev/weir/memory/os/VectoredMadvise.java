package dev.weir.memory.os;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * {@code process_madvise(2)} with {@code MADV_DONTNEED} on the own process, which Linux has in this
 * form since 6.14: one call, and since 6.16 one interrupt of the other processors, for many ranges.
 *
 * <p>While other threads of the process run, that interrupt is most of what purging a few pages
 * costs. Thread-safe.
 */
final class VectoredMadvise {
  /** The same on every architecture. */
  private static final long PROCESS_MADVISE = 440;

  private static final long PIDFD_SELF_THREAD_GROUP = -10_001;
  private static final long MADV_DONTNEED = 4;

  /** An address and a length. */
  private static final int IOVEC_BYTES = 16;

  /** How many threads can be at it at once. */
  private static final int AREAS = 8;

  private static final long AREA_BYTES = (long) PurgeRanges.CAPACITY * IOVEC_BYTES;

  private final MethodHandle syscall;

  /** What the ranges are told in: an area for each call under way, so that none allocates. */
  private final Area[] areas = new Area[AREAS];

  private VectoredMadvise(MethodHandle syscall) {
    this.syscall = syscall;
    for (int i = 0; i < AREAS; i++) {
      areas[i] = new Area();
    }
  }

  /** Null where the system does not have it, or forbids it; found out by trying. */
  static @Nullable VectoredMadvise tryOpen(NativeMemory os) {
    try {
      VectoredMadvise opened = new VectoredMadvise(CFunction.SYSCALL_5.link());
      return opened.works(os) ? opened : null;
    } catch (RuntimeException | Error e) {
      // Ranges are purged one by one then; whatever is wrong shows there.
      return null;
    }
  }

  /** Purges the first and the third of three pages. */
  private boolean works(NativeMemory os) {
    int page = os.pageBytes();
    long address = os.reserve(3L * page);
    try {
      PurgeRanges ranges = new PurgeRanges();
      for (int i = 0; i < 3; i++) {
        AddressSpace.ALL.set(ValueLayout.JAVA_BYTE, address + (long) i * page, (byte) 1);
        if (i != 1) {
          ranges.add(address + (long) i * page, page);
        }
      }
      return tryPurge(ranges) == 2L * page
          && AddressSpace.ALL.get(ValueLayout.JAVA_BYTE, address) == 0
          && AddressSpace.ALL.get(ValueLayout.JAVA_BYTE, address + page) == 1
          && AddressSpace.ALL.get(ValueLayout.JAVA_BYTE, address + 2L * page) == 0;
    } finally {
      os.release(address, 3L * page);
    }
  }

  /**
   * Gives back the ranges that have not been, in their order.
   *
   * @return how many bytes of them, from the first on, are gone; not positive if none is, or if
   *     enough threads are at it already
   */
  long tryPurge(PurgeRanges ranges) {
    Area area = takeArea();
    if (area == null) {
      return 0;
    }
    try {
      long at = 0;
      for (int i = ranges.purged(); i < ranges.count(); i++) {
        area.memory.set(ValueLayout.JAVA_LONG, at, ranges.address(i));
        area.memory.set(ValueLayout.JAVA_LONG, at + Long.BYTES, ranges.bytes(i));
        at += IOVEC_BYTES;
      }
      return call(area.memory.address(), at / IOVEC_BYTES);
    } finally {
      area.taken = false; // No call: a stack that is full has no room for one.
    }
  }

  private long call(long vectors, long count) {
    try {
      return (long)
          syscall.invokeExact(
              PROCESS_MADVISE, PIDFD_SELF_THREAD_GROUP, vectors, count, MADV_DONTNEED, 0L);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("a system call threw a checked exception", e);
    }
  }

  /** Null if all are in use. */
  private @Nullable Area takeArea() {
    for (Area area : areas) {
      if (Area.TAKEN.compareAndSet(area, false, true)) {
        return area;
      }
    }
    return null;
  }

  /** Memory for the ranges of one call. */
  private static final class Area {
    static final VarHandle TAKEN;

    static {
      try {
        TAKEN = MethodHandles.lookup().findVarHandle(Area.class, "taken", boolean.class);
      } catch (ReflectiveOperationException e) {
        throw new ExceptionInInitializerError(e);
      }
    }

    final MemorySegment memory = Arena.global().allocate(AREA_BYTES, IOVEC_BYTES);

    @SuppressWarnings("UnusedVariable") // through TAKEN
    volatile boolean taken;
  }
}
