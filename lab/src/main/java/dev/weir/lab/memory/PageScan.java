package dev.weir.lab.memory;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.OptionalLong;

/**
 * Asks the kernel which pages of a range of addresses are present: {@code PAGEMAP_SCAN} on {@code
 * /proc/self/pagemap}, which Linux has since 6.7. It walks the page tables of that range and no
 * others, some hundred times faster than {@link Smaps} where little of the process lies in it.
 * Counts what {@code Rss} counts: not the page of zeros that stands for memory nobody has written.
 */
@SuppressWarnings("restricted") // foreign calls are what this class is for
final class PageScan {
  private static final String FILE = "/proc/self/pagemap";
  private static final int READ_ONLY = 0;
  private static final int WORD = 8;

  /** {@code _IOWR('f', 16, struct pm_scan_arg)}, as the kernel's {@code linux/fs.h} has it. */
  private static final long PAGEMAP_SCAN = 0xC060_6610L;

  // The words of a struct pm_scan_arg, in bytes; those left out stay 0.
  private static final long ARG_BYTES = 12 * WORD;
  private static final long SIZE = 0;
  private static final long START = 2 * WORD;
  private static final long END = 3 * WORD;
  private static final long REGIONS = 5 * WORD;
  private static final long REGION_COUNT = 6 * WORD;
  private static final long CATEGORY_INVERTED = 8 * WORD;
  private static final long CATEGORY_MASK = 9 * WORD;
  private static final long RETURN_MASK = 11 * WORD;

  private static final long IS_PRESENT = 1 << 3;
  private static final long IS_ZERO_PAGE = 1 << 5;

  /** A struct page_region: its first address, the first behind it, and its categories. */
  private static final long REGION_BYTES = 3 * WORD;

  private static final int MAX_REGIONS = 1024;

  private final MethodHandle open = link("open", 2, JAVA_INT, JAVA_LONG, JAVA_INT);
  private final MethodHandle close = link("close", -1, JAVA_INT, JAVA_INT);
  private final MethodHandle ioctl = link("ioctl", 2, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG);

  /** The bytes of the present pages in {@code range}; empty where the kernel has no such scan. */
  OptionalLong presentBytes(AddressRange range) {
    try (Arena arena = Arena.ofConfined()) {
      int file = (int) open.invokeExact(arena.allocateFrom(FILE).address(), READ_ONLY);
      if (file < 0) {
        return OptionalLong.empty();
      }
      try {
        return scan(file, range, arena);
      } finally {
        int closed = (int) close.invokeExact(file);
        assert closed == 0 : "a file that was only read";
      }
    } catch (Throwable failure) {
      throw new IllegalStateException("PAGEMAP_SCAN", failure);
    }
  }

  private OptionalLong scan(int file, AddressRange range, Arena arena) throws Throwable {
    MemorySegment regions = arena.allocate(MAX_REGIONS * REGION_BYTES, WORD);
    MemorySegment arg = arena.allocate(ARG_BYTES, WORD);
    arg.set(JAVA_LONG, SIZE, ARG_BYTES);
    arg.set(JAVA_LONG, REGIONS, regions.address());
    arg.set(JAVA_LONG, REGION_COUNT, MAX_REGIONS);
    arg.set(JAVA_LONG, CATEGORY_INVERTED, IS_ZERO_PAGE);
    arg.set(JAVA_LONG, CATEGORY_MASK, IS_PRESENT | IS_ZERO_PAGE);
    arg.set(JAVA_LONG, RETURN_MASK, IS_PRESENT);
    long end = range.startAddress() + range.lengthBytes();
    arg.set(JAVA_LONG, END, end);
    long bytes = 0;
    long at = range.startAddress();
    int found;
    do {
      arg.set(JAVA_LONG, START, at);
      found = (int) ioctl.invokeExact(file, PAGEMAP_SCAN, arg.address());
      if (found < 0) {
        return OptionalLong.empty();
      }
      for (long region = 0; region < found * REGION_BYTES; region += REGION_BYTES) {
        bytes += regions.get(JAVA_LONG, region + WORD) - regions.get(JAVA_LONG, region);
      }
      // Where the last region ends, and not where the kernel says that its walk ended: after one
      // that came to its end, that is some place in the middle (seen on Linux 6.18).
      at = found == 0 ? end : regions.get(JAVA_LONG, (found - 1) * REGION_BYTES + WORD);
    } while (found == MAX_REGIONS && at < end);
    return OptionalLong.of(bytes);
  }

  private static MethodHandle link(
      String symbol, int firstVariadic, MemoryLayout result, MemoryLayout... parameters) {
    Linker linker = Linker.nativeLinker();
    Linker.Option[] options =
        firstVariadic < 0
            ? new Linker.Option[0]
            : new Linker.Option[] {Linker.Option.firstVariadicArg(firstVariadic)};
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow(symbol),
        FunctionDescriptor.of(result, parameters),
        options);
  }
}
