package dev.weir.lab.subject;

import dev.weir.netty.flow.Admission;
import io.netty.buffer.ByteBufAllocator;
import java.util.Optional;
import java.util.OptionalLong;

/** An allocator in this JVM, and what it says of itself. Thread-safe. */
public interface AllocatorUnderTest extends HeldMemory {

  /** Makes the buffers. */
  ByteBufAllocator allocator();

  /** What stands before the allocation of a body; empty if nothing does. */
  Optional<Admission> admission();

  /** The sizes of the buffers that are not released; empty if the allocator cannot tell. */
  OptionalLong liveBytes();
}
