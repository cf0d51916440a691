package dev.weir.lab.subject;

import dev.weir.lab.memory.AddressRange;
import java.util.Optional;
import java.util.OptionalLong;

/** What an allocator in this JVM says of the memory it holds. Thread-safe. */
public interface HeldMemory {
  /** The memory that it holds, by its own count, used or not; empty if it does not count. */
  default OptionalLong residentBytes() {
    return OptionalLong.empty();
  }

  /** The most that {@link #residentBytes()} ever was; empty if it keeps no such mark. */
  default OptionalLong peakResidentBytes() {
    return OptionalLong.empty();
  }

  /** Where its memory lies, if in one place and known yet. */
  default Optional<AddressRange> addresses() {
    return Optional.empty();
  }

  /** What {@link #residentBytes()} is made of; empty if it cannot tell. */
  default Optional<Occupancy> occupancy() {
    return Optional.empty();
  }

  /**
   * How many bytes of OS pages live blocks may touch before it may refuse a block; empty if it
   * promises nothing.
   */
  default OptionalLong boundBytes() {
    return OptionalLong.empty();
  }

  /**
   * What the memory of an allocator is made of.
   *
   * @param blockBytes the sizes of live blocks, as rounded up by the allocator
   * @param livePageBytes pages that live blocks or free slots beside them lie on
   * @param dirtyBytes pages that are free and not given back yet
   */
  record Occupancy(long blockBytes, long livePageBytes, long dirtyBytes) {}
}
