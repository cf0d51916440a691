package dev.weir.memory.os;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * {@code mmap}, {@code madvise}, {@code process_madvise}, {@code mremap} and {@code munmap} through
 * the foreign function interface.
 *
 * <p>Every reservation is fenced by an inaccessible page on either side, so that the kernel never
 * merges it with a neighbour, and an overrun faults. Protection and advice are the same over the
 * whole range, since each change of either would split the kernel's mapping and a process may have
 * 65,530 of them. Moved pages split it too: with the same lengths over and over, once. Transparent
 * huge pages are off, because one touch would fault 2 MiB in.
 *
 * <p>The numeric constants are those of the generic Linux ABI, which x86-64, AArch64 and RISC-V
 * share.
 */
final class LinuxNativeMemory implements NativeMemory {
  private static final int PROT_NONE = 0;
  private static final int PROT_READ_WRITE = 0x1 | 0x2;
  private static final int MAP_PRIVATE_ANONYMOUS_NORESERVE = 0x2 | 0x20 | 0x4000;
  private static final int MADV_DONTNEED = 4;
  private static final int MADV_NOHUGEPAGE = 15;
  private static final int MAP_FIXED_NOREPLACE = 0x100000;
  private static final int MREMAP_MAYMOVE_FIXED_DONTUNMAP = 0x1 | 0x2 | 0x4;
  private static final int SC_PAGESIZE = 30;
  private static final long MAP_FAILED = -1;

  private static final StructLayout CALL_STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      CALL_STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  private static final MethodHandle MMAP = CFunction.MMAP.link();
  private static final MethodHandle MPROTECT = CFunction.MPROTECT.link();
  private static final MethodHandle MADVISE = CFunction.MADVISE.link();
  private static final MethodHandle MADVISE_ONLY = CFunction.MADVISE_ONLY.link();
  private static final MethodHandle MMAP_ONLY = CFunction.MMAP_ONLY.link();
  private static final MethodHandle MREMAP_ONLY = CFunction.MREMAP_ONLY.link();
  private static final MethodHandle MUNMAP = CFunction.MUNMAP.link();
  private static final MethodHandle MUNMAP_ONLY = CFunction.MUNMAP_ONLY.link();

  private final int pageBytes = readPageBytes();

  /** Purges many ranges at once; null where the system cannot. */
  private final @Nullable VectoredMadvise vectored = VectoredMadvise.tryOpen(this);

  @Override
  public int pageBytes() {
    return pageBytes;
  }

  @Override
  public boolean canPurge() {
    return true;
  }

  @Override
  public long freeAddressBytes() {
    return AddressLimits.freeBytes(pageBytes);
  }

  @Override
  public long reserve(long bytes) {
    requireWholePages(bytes);
    long fencedBytes = Math.addExact(bytes, 2L * pageBytes);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      long fence =
          (long)
              MMAP.invokeExact(
                  state, 0L, fencedBytes, PROT_NONE, MAP_PRIVATE_ANONYMOUS_NORESERVE, -1, 0L);
      if (fence == MAP_FAILED) {
        throw AddressLimits.failure("mmap", bytes, errno(state));
      }
      long address = fence + pageBytes;
      if ((int) MPROTECT.invokeExact(state, address, bytes, PROT_READ_WRITE) != 0) {
        int errno = errno(state);
        unmap(fence, fencedBytes);
        throw AddressLimits.failure("mprotect", bytes, errno);
      }
      // EINVAL means a kernel without transparent huge pages, which is as good.
      int ignored = (int) MADVISE.invokeExact(state, address, bytes, MADV_NOHUGEPAGE);
      return address;
    } catch (Throwable e) {
      throw rethrow(e);
    }
  }

  @Override
  public void purge(long address, long bytes) {
    requireWholePages(bytes);
    try {
      if ((int) MADVISE_ONLY.invokeExact(address, bytes, MADV_DONTNEED) != 0) {
        purgeOrExplain(address, bytes);
      }
    } catch (Throwable e) {
      throw rethrow(e);
    }
  }

  @Override
  public void purge(PurgeRanges ranges) {
    if (vectored != null && ranges.count() - ranges.purged() > 1) {
      long gone = vectored.tryPurge(ranges);
      while (gone > 0 && gone >= ranges.bytes(ranges.purged())) {
        gone -= ranges.bytes(ranges.purged());
        ranges.purgedNext();
        if (ranges.purged() == ranges.count()) {
          return;
        }
      }
    }
    // What is left, one by one: whatever stopped the call above explains itself here.
    NativeMemory.super.purge(ranges);
  }

  /** Makes a call that has failed once more, to learn why. */
  private static void purgeOrExplain(long address, long bytes) throws Throwable {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      if ((int) MADVISE.invokeExact(state, address, bytes, MADV_DONTNEED) != 0) {
        throw failure("madvise(MADV_DONTNEED)", address, bytes, errno(state));
      }
    }
  }

  /**
   * {@code mremap} with {@code MREMAP_DONTUNMAP}, which Linux has since 5.7: the source stays
   * mapped, so that nobody else can be given its addresses.
   */
  @Override
  public boolean tryMove(long from, long to, long bytes) {
    requireWholePages(bytes);
    try {
      long moved =
          (long) MREMAP_ONLY.invokeExact(from, bytes, bytes, MREMAP_MAYMOVE_FIXED_DONTUNMAP, to);
      if (moved == MAP_FAILED) {
        mapAgain(to, bytes);
      }
      return moved == to;
    } catch (Throwable e) {
      throw rethrow(e);
    }
  }

  /**
   * A kernel that runs out of memory in the middle of a move has unmapped the target already. Where
   * it is mapped, which is the rule, this changes nothing.
   */
  private static void mapAgain(long address, long bytes) throws Throwable {
    long mapped =
        (long)
            MMAP_ONLY.invokeExact(
                address,
                bytes,
                PROT_READ_WRITE,
                MAP_PRIVATE_ANONYMOUS_NORESERVE | MAP_FIXED_NOREPLACE,
                -1,
                0L);
    if (mapped == address) {
      int ignored = (int) MADVISE_ONLY.invokeExact(address, bytes, MADV_NOHUGEPAGE);
    } else if (mapped != MAP_FAILED) {
      // A kernel before 4.17 takes the address for a hint and maps elsewhere.
      int ignored = unmap(mapped, bytes);
    }
  }

  @Override
  public void release(long address, long bytes) {
    requireWholePages(bytes);
    try {
      if (unmap(address - pageBytes, bytes + 2L * pageBytes) != 0) {
        releaseOrExplain(address, bytes);
      }
    } catch (Throwable e) {
      throw rethrow(e);
    }
  }

  private static int unmap(long address, long bytes) throws Throwable {
    return (int) MUNMAP_ONLY.invokeExact(address, bytes);
  }

  /** As {@link #purgeOrExplain}. */
  private void releaseOrExplain(long address, long bytes) throws Throwable {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      if ((int) MUNMAP.invokeExact(state, address - pageBytes, bytes + 2L * pageBytes) != 0) {
        throw failure("munmap", address, bytes, errno(state));
      }
    }
  }

  private void requireWholePages(long bytes) {
    if (bytes <= 0 || bytes % pageBytes != 0) {
      throw new IllegalArgumentException(
          "length "
              + bytes
              + " is not a positive multiple of the OS page of "
              + pageBytes
              + " bytes");
    }
  }

  private static int errno(MemorySegment state) {
    return (int) ERRNO.get(state, 0L);
  }

  private static NativeMemoryException failure(String call, long address, long bytes, int errno) {
    return new NativeMemoryException(
        "%s of %d bytes at 0x%x failed: errno %d".formatted(call, bytes, address, errno));
  }

  private static int readPageBytes() {
    try {
      MethodHandle sysconf = CFunction.SYSCONF.link();
      return Math.toIntExact((long) sysconf.invokeExact(SC_PAGESIZE));
    } catch (Throwable e) {
      throw rethrow(e);
    }
  }

  /** Method handles declare {@code Throwable}; none of these calls throws a checked exception. */
  private static RuntimeException rethrow(Throwable e) {
    return switch (e) {
      case RuntimeException unchecked -> throw unchecked;
      case Error error -> throw error;
      default -> new IllegalStateException("a system call threw a checked exception", e);
    };
  }
}
