package dev.weir.benchmarks.peer;

import dev.weir.lab.memory.AddressRange;
import dev.weir.memory.Pool;
import java.util.Optional;

/**
 * What a peer offers to the patterns. A JVM that measures loads one subclass only, so that the
 * compiler treats the calls of every peer alike. As thread-safe as the allocator behind it; a
 * buffer is used by one thread at a time.
 *
 * @param <B> what stands for a buffer
 */
public abstract class Buffers<B> {
  /** The size of the pages that {@link #touch} makes resident: those of x86-64. */
  static final int PAGE_BYTES = 4096;

  Buffers() {}

  /** A buffer of at least {@code bytes}, contents undefined. */
  public abstract B allocate(int bytes);

  /** Gives a buffer back. */
  public abstract void release(B buffer);

  /** Writes the first byte, and one in each further page, of the first {@code bytes}. */
  public abstract void touch(B buffer, int bytes);

  /** Where its memory begins. */
  public abstract long address(B buffer);

  /**
   * Writes all of the first {@code bytes}, and reads one byte of each cache line back. Every peer
   * gets the same stores at an address: what differs is where the memory comes from.
   *
   * @return the sum of what was read
   */
  public final int write(B buffer, int bytes, byte value) {
    return NativeBytes.write(address(buffer), bytes, value);
  }

  /** Weir's pool behind the buffers; empty for all others. */
  public Optional<Pool> pool() {
    return Optional.empty();
  }

  /** Where all memory of the allocator lies, if in one place. */
  public final Optional<AddressRange> addresses() {
    return pool().map(of -> new AddressRange(of.reservationAddress(), of.reservationBytes()));
  }

  /** Writes {@code chunk} behind what was appended before; the buffer grows as it has to. */
  public abstract void append(B buffer, byte[] chunk);
}
