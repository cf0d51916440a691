package dev.weir.lab.replay;

import dev.weir.lab.contender.BlockStore;
import java.util.Optional;
import java.util.OptionalLong;

/** Hands out addresses without memory, and says of itself what it is told to. */
final class FakeStore implements BlockStore {
  long residentBytes;
  long boundBytes = Long.MAX_VALUE;
  int refuseAbove = Integer.MAX_VALUE;
  int released;
  private long next = 1 << 20;

  @Override
  public long allocate(int slot, int bytes) {
    if (bytes > refuseAbove) {
      return REFUSED;
    }
    long address = next;
    next += (bytes + 4095) / 4096 * 4096L;
    return address;
  }

  @Override
  public long grow(int slot, int before, int bytes) {
    return allocate(slot, bytes);
  }

  @Override
  public void release(int slot) {
    released++;
  }

  @Override
  public boolean isReal() {
    return false;
  }

  @Override
  public OptionalLong residentBytes() {
    return OptionalLong.of(residentBytes);
  }

  @Override
  public Optional<Occupancy> occupancy() {
    return Optional.of(new Occupancy(50_000, 60_000, 7_000));
  }

  @Override
  public OptionalLong boundBytes() {
    return OptionalLong.of(boundBytes);
  }
}
