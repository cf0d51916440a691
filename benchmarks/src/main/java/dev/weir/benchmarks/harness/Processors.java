package dev.weir.benchmarks.harness;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * On which processors the threads of a benchmark run. Linux; elsewhere the system decides alone.
 *
 * <p>Two threads that wait for each other, and give their processor away meanwhile, may share one
 * for the length of a run: the scheduler moves no thread that has just run, and each of them always
 * has.
 */
@SuppressWarnings("restricted") // The JDK has nothing of the kind.
public final class Processors {
  /** The set that the C library deals with by itself: 1,024 processors. */
  private static final int SET_BYTES = 128;

  private static final int CALLING_THREAD = 0;

  private Processors() {}

  /**
   * The processors that the calling thread may run on: first one of each core, then those that
   * share a core with one of these. Empty if the system does not tell.
   */
  public static List<Integer> coresFirst() {
    List<Integer> first = new ArrayList<>();
    List<Integer> second = new ArrayList<>();
    Set<String> cores = new HashSet<>();
    allowed().stream()
        .forEach(processor -> (cores.add(coreOf(processor)) ? first : second).add(processor));
    first.addAll(second);
    return first;
  }

  private static BitSet allowed() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment set = arena.allocate(SET_BYTES, Long.BYTES);
      return call("sched_getaffinity", set) < 0
          ? new BitSet()
          : BitSet.valueOf(set.asByteBuffer().order(ByteOrder.nativeOrder()));
    }
  }

  /** The name of its core: which processors that has. */
  private static String coreOf(int processor) {
    try {
      return Files.readString(
          Path.of("/sys/devices/system/cpu/cpu" + processor + "/topology/thread_siblings_list"));
    } catch (IOException unknown) {
      return Integer.toString(processor);
    }
  }

  /**
   * Keeps the calling platform thread, and those that it starts from now on, on one processor.
   *
   * @param processor one of {@link #coresFirst}
   * @return false if the system refuses
   */
  public static boolean stayOn(int processor) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment set = arena.allocate(SET_BYTES, Long.BYTES);
      set.setAtIndex(JAVA_LONG, processor / Long.SIZE, 1L << processor);
      return call("sched_setaffinity", set) == 0;
    }
  }

  /** Returns a negative number where that is refused, or unknown. */
  private static int call(String function, MemorySegment set) {
    Linker linker = Linker.nativeLinker();
    MemorySegment symbol = linker.defaultLookup().find(function).orElse(MemorySegment.NULL);
    if (symbol.equals(MemorySegment.NULL)) {
      return -1;
    }
    MethodHandle handle =
        linker.downcallHandle(
            symbol, FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS));
    try {
      return (int) handle.invokeExact(CALLING_THREAD, (long) SET_BYTES, set);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("a call of the C library threw a checked exception", e);
    }
  }
}
