package dev.weir.benchmarks.peer;

import dev.weir.lab.contender.ContenderMissingException;
import dev.weir.lab.contender.MallocLibrary;
import java.lang.invoke.MethodHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Memory straight from a C allocator, called through the JDK's foreign functions: an address and
 * nothing around it, no reference count and no bounds. What it costs is what is left when a buffer
 * has none of the comforts.
 *
 * <p>A JVM can use one library: its functions are constants for the compiler.
 */
final class MallocBuffers extends Buffers<MallocBuffers.Allocation> {
  private static volatile @Nullable MallocLibrary chosen;

  private MallocBuffers() {}

  static synchronized Buffers<?> of(MallocLibrary library) {
    if (chosen != null && !chosen.equals(library)) {
      throw new IllegalStateException("this JVM already uses " + chosen);
    }
    chosen = library;
    return new MallocBuffers();
  }

  @Override
  public Allocation allocate(int bytes) {
    return new Allocation(Functions.malloc(bytes), bytes);
  }

  @Override
  public void release(Allocation buffer) {
    Functions.free(buffer.address);
  }

  @Override
  public void touch(Allocation buffer, int bytes) {
    NativeBytes.touch(buffer.address, bytes);
  }

  @Override
  public long address(Allocation buffer) {
    return buffer.address;
  }

  @Override
  public void append(Allocation buffer, byte[] chunk) {
    int newLength = buffer.length + chunk.length;
    if (newLength > buffer.capacity) {
      buffer.capacity = Math.max(newLength, 2 * buffer.capacity);
      buffer.address = Functions.realloc(buffer.address, buffer.capacity);
    }
    NativeBytes.copy(chunk, buffer.address + buffer.length);
    buffer.length = newLength;
  }

  /** A piece of memory. */
  static final class Allocation {
    private long address;
    private int capacity;
    private int length;

    private Allocation(long address, int capacity) {
      this.address = address;
      this.capacity = capacity;
    }
  }

  /** The functions of the library that was chosen before this class was initialized. */
  private static final class Functions {
    private static final MallocLibrary.Functions LIBRARY = load();
    private static final MethodHandle MALLOC = LIBRARY.malloc();
    private static final MethodHandle FREE = LIBRARY.free();
    private static final MethodHandle REALLOC = LIBRARY.realloc();

    private static MallocLibrary.Functions load() {
      try {
        return Objects.requireNonNull(chosen).load();
      } catch (ContenderMissingException missing) {
        throw new IllegalStateException(missing);
      }
    }

    static long malloc(long bytes) {
      long address;
      try {
        address = (long) MALLOC.invokeExact(bytes);
      } catch (Throwable impossible) {
        throw new AssertionError(impossible);
      }
      return checked(address);
    }

    static long realloc(long address, long bytes) {
      long moved;
      try {
        moved = (long) REALLOC.invokeExact(address, bytes);
      } catch (Throwable impossible) {
        throw new AssertionError(impossible);
      }
      return checked(moved);
    }

    static void free(long address) {
      try {
        FREE.invokeExact(address);
      } catch (Throwable impossible) {
        throw new AssertionError(impossible);
      }
    }

    private static long checked(long address) {
      if (address == 0) {
        throw new OutOfMemoryError("the C library has no memory left");
      }
      return address;
    }
  }
}
