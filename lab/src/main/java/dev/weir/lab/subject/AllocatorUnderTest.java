package dev.weir.lab.subject;

import dev.weir.lab.memory.AddressRange;
import dev.weir.netty.flow.Admission;
import io.netty.buffer.ByteBufAllocator;
import java.util.Optional;
import java.util.OptionalLong;

/** An allocator in this JVM, and what it says of itself. Thread-safe. */
public interface AllocatorUnderTest {

  /** Makes the buffers. */
  ByteBufAllocator allocator();

  /** What stands before the allocation of a body; empty if nothing does. */
  Optional<Admission> admission();

  /** The memory that the allocator holds, by its own count, used or not. */
  long residentBytes();

  /** The most that {@link #residentBytes()} ever was; empty if the allocator keeps no such mark. */
  OptionalLong peakResidentBytes();

  /** The sizes of the buffers that are not released; empty if the allocator cannot tell. */
  OptionalLong liveBytes();

  /** Where its memory lies, if in one place and known yet. */
  Optional<AddressRange> addresses();
}
