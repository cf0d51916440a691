package dev.weir.lab.subject;

import dev.weir.lab.memory.AddressRange;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolSnapshot;
import dev.weir.netty.WeirAllocator;
import dev.weir.netty.flow.Admission;
import dev.weir.netty.flow.WeirAdmission;
import java.util.Optional;
import java.util.OptionalLong;

/** Weir with a pool of its own. */
record WeirUnderTest(WeirAllocator allocator) implements AllocatorUnderTest {

  static WeirUnderTest of(long limitBytes, WeirSettings settings) {
    Pool pool = Pool.create(settings.options(limitBytes).withName("lab"));
    return new WeirUnderTest(new WeirAllocator(pool));
  }

  private Pool pool() {
    return allocator.pool();
  }

  @Override
  public Optional<Admission> admission() {
    return Optional.of(new WeirAdmission(allocator));
  }

  @Override
  public OptionalLong residentBytes() {
    return OptionalLong.of(pool().residentBytes());
  }

  @Override
  public OptionalLong peakResidentBytes() {
    return OptionalLong.of(pool().peakResidentBytes());
  }

  @Override
  public OptionalLong liveBytes() {
    return OptionalLong.of(pool().liveBlockBytes());
  }

  @Override
  public Optional<AddressRange> addresses() {
    return pool().reservationBytes() == 0
        ? Optional.empty()
        : Optional.of(new AddressRange(pool().reservationAddress(), pool().reservationBytes()));
  }

  @Override
  public Optional<Occupancy> occupancy() {
    PoolSnapshot snapshot = pool().snapshot();
    return Optional.of(
        new Occupancy(snapshot.liveBlockBytes(), snapshot.liveBytes(), snapshot.dirtyBytes()));
  }

  @Override
  public OptionalLong boundBytes() {
    return OptionalLong.of(pool().limitBytes() - pool().slackBytes());
  }
}
