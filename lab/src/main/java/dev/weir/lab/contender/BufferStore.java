package dev.weir.lab.contender;

import dev.weir.lab.memory.AddressRange;
import dev.weir.lab.subject.AllocatorUnderTest;
import dev.weir.netty.refusal.MemoryRefusals;
import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Blocks that are direct buffers of a {@code ByteBufAllocator}. */
final class BufferStore implements BlockStore {

  private final AllocatorUnderTest subject;
  private @Nullable ByteBuf[] buffers = new ByteBuf[64];

  BufferStore(AllocatorUnderTest subject) {
    this.subject = subject;
  }

  @Override
  public long allocate(int slot, int bytes) {
    if (slot >= buffers.length) {
      buffers = Arrays.copyOf(buffers, Math.max(slot + 1, buffers.length * 2));
    }
    ByteBuf buffer;
    try {
      buffer = subject.allocator().directBuffer(bytes);
    } catch (OutOfMemoryError refused) {
      MemoryRefusals.require(refused);
      return REFUSED;
    }
    buffers[slot] = buffer;
    return address(buffer, bytes);
  }

  private static long address(ByteBuf buffer, int bytes) {
    return buffer.hasMemoryAddress()
        ? buffer.memoryAddress()
        : MemorySegment.ofBuffer(buffer.internalNioBuffer(0, bytes)).address();
  }

  @Override
  public long grow(int slot, int before, int bytes) {
    ByteBuf buffer = Objects.requireNonNull(buffers[slot]);
    try {
      buffer.writerIndex(Math.min(before, bytes)).capacity(bytes);
    } catch (OutOfMemoryError refused) {
      MemoryRefusals.require(refused);
      return REFUSED;
    }
    return address(buffer, bytes);
  }

  @Override
  public void release(int slot) {
    Objects.requireNonNull(buffers[slot]).release();
    buffers[slot] = null;
  }

  @Override
  public OptionalLong residentBytes() {
    return subject.residentBytes();
  }

  @Override
  public OptionalLong peakResidentBytes() {
    return subject.peakResidentBytes();
  }

  @Override
  public Optional<AddressRange> addresses() {
    return subject.addresses();
  }

  @Override
  public Optional<Occupancy> occupancy() {
    return subject.occupancy();
  }

  @Override
  public OptionalLong boundBytes() {
    return subject.boundBytes();
  }
}
