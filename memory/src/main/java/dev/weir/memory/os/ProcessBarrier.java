package dev.weir.memory.os;

import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A store-load barrier that the rare side of a protocol pays for.
 *
 * <p>Where two threads each write a word and then read the other's, both need a barrier between the
 * two, or both may miss what the other wrote. Here the frequent side only keeps the compiler from
 * exchanging its accesses ({@link #light}), and the rare side puts a barrier into every running
 * thread of the process ({@link #heavy}): {@code membarrier(2)}. Where the system or the compiler
 * does not offer that, the frequent side pays with a fence.
 *
 * <p>The accesses must be opaque or stronger. What this relies on beyond the Java memory model:
 * HotSpot's compilers keep opaque accesses in program order, and a handshake is a barrier.
 */
public final class ProcessBarrier {
  private static final long PRIVATE_EXPEDITED = 1 << 3;
  private static final long REGISTER_PRIVATE_EXPEDITED = 1 << 4;

  /** The system call; null where the frequent side pays. */
  private static final @Nullable MethodHandle MEMBARRIER = tryRegister();

  private ProcessBarrier() {}

  /** Stands between the write and the read of the frequent side. */
  public static void light() {
    if (MEMBARRIER == null) {
      VarHandle.fullFence();
    }
  }

  /**
   * Stands between the write and the read of the rare side: it sees what another thread wrote
   * before a {@link #light} that is over, and a {@link #light} that comes later sees what the rare
   * side wrote. Takes a microsecond or a few.
   */
  public static void heavy() {
    VarHandle.fullFence();
    if (MEMBARRIER == null) {
      return;
    }
    // A process that was restored from an image has to register again.
    if (!call(MEMBARRIER, PRIVATE_EXPEDITED)
        && !(call(MEMBARRIER, REGISTER_PRIVATE_EXPEDITED) && call(MEMBARRIER, PRIVATE_EXPEDITED))) {
      handshake();
    }
  }

  /**
   * The same where the system refuses what it granted before, a sandbox that was closed later, say:
   * the end of a shared arena is agreed on with every thread, which takes some tens of
   * microseconds.
   */
  static void handshake() {
    VarHandle.fullFence();
    Arena.ofShared().close();
    VarHandle.fullFence();
  }

  /** Whatever goes wrong here, even a full Java heap, leaves the fences. */
  private static @Nullable MethodHandle tryRegister() {
    try {
      long number = callNumber(System.getProperty("os.arch", ""));
      if (number < 0 || !isHotSpot() || !System.getProperty("os.name", "").equals("Linux")) {
        return null;
      }
      MethodHandle syscall = CFunction.SYSCALL_3.link();
      MethodHandle membarrier = MethodHandles.insertArguments(syscall, 0, number);
      return call(membarrier, REGISTER_PRIVATE_EXPEDITED) ? membarrier : null;
    } catch (RuntimeException | Error e) {
      return null;
    }
  }

  private static long callNumber(String arch) {
    return switch (arch) {
      case "amd64", "x86_64" -> 324;
      case "aarch64", "riscv64" -> 283;
      default -> -1;
    };
  }

  /** Whether C1, C2 and the interpreter run this code, and no other compiler. */
  private static boolean isHotSpot() {
    return System.getProperty("java.vm.name", "").contains("Server VM")
        && !System.getProperty("java.vm.version", "").contains("jvmci");
  }

  private static boolean call(MethodHandle membarrier, long command) {
    try {
      return (long) membarrier.invokeExact(command, 0L, 0L) == 0;
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("a system call threw a checked exception", e);
    }
  }
}
