package dev.weir.memory.os;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * All addresses of the process as one segment.
 *
 * <p>An access at offset {@code address} costs no more than a plain load: the segment is a
 * constant, its scope is the global one and its bounds are those of {@code long}. Nothing checks
 * that the address is mapped; the callers are the classes that own the memory behind it.
 */
public final class AddressSpace {
  /** The segment from address 0 to {@link Long#MAX_VALUE}. */
  @SuppressWarnings("restricted") // the one place that opens all addresses
  public static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private AddressSpace() {}

  /**
   * A range of addresses as a segment that lives as long as anything refers to it or to a slice of
   * it; then {@code release} is run, by a thread of the JDK's.
   *
   * @param release must not refer to the segment
   */
  @SuppressWarnings("restricted") // the caller owns the range
  public static MemorySegment owned(long address, long bytes, Runnable release) {
    return MemorySegment.ofAddress(address)
        .reinterpret(bytes, Arena.ofAuto(), gone -> release.run());
  }

  /**
   * A range of addresses as a segment that an arena closes.
   *
   * @param owner kept reachable by the segment and by all views of it
   */
  @SuppressWarnings("restricted") // the caller owns the range
  public static MemorySegment scoped(long address, long bytes, Arena arena, Object owner) {
    return MemorySegment.ofAddress(address).reinterpret(bytes, arena, new Kept(owner));
  }

  /** What an arena does with a segment when it is closed: nothing. Until then it has the owner. */
  private record Kept(Object owner) implements Consumer<MemorySegment> {
    @Override
    public void accept(MemorySegment closed) {
      // The pages are the owner's.
    }
  }
}
