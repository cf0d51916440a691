package dev.weir.netty.contract;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.netty.WeirAllocator;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.AbstractByteBufAllocatorTest;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;

/** Netty's contract of an allocator. */
class WeirAllocatorContractTest extends AbstractByteBufAllocatorTest<AbstractByteBufAllocator> {
  private final List<Pool> pools = new ArrayList<>();

  @Override
  protected AbstractByteBufAllocator newAllocator(boolean preferDirect) {
    Pool pool = Pool.create(PoolOptions.withLimit(128L << 20));
    pools.add(pool);
    return preferDirect ? new WeirAllocator(pool) : WeirAllocator.preferringHeap(pool);
  }

  @Override
  protected AbstractByteBufAllocator newUnpooledAllocator() {
    return new UnpooledByteBufAllocator(/* preferDirect= */ true);
  }

  @AfterEach
  void everythingIsReleased() {
    for (Pool pool : pools) {
      Assertions.assertThat(pool.liveBlockBytes()).isZero();
      Assertions.assertThat(pool.rootBudget().heapBytes()).isZero();
      pool.checkInvariants();
      pool.close();
    }
  }
}
