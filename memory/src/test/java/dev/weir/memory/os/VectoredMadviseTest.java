package dev.weir.memory.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.weir.memory.testing.EndOfStack;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class VectoredMadviseTest {
  private static final int OVERFLOWS = 1_000;

  private final NativeMemory os = NativeMemory.system();
  private final long bytes = os.pageBytes();
  private final long address = os.reserve(bytes);

  @AfterEach
  void release() {
    os.release(address, bytes);
  }

  /** An area that is not given back is one less for all calls to come. */
  @Test
  void areasComeBackFromTheEndOfTheStack() throws InterruptedException {
    VectoredMadvise madvise = VectoredMadvise.tryOpen(os);
    assumeThat(madvise).as("process_madvise, which Linux has since 6.14").isNotNull();
    PurgeRanges ranges = new PurgeRanges();
    ranges.add(address, bytes);
    EndOfStack.onThread(() -> {
      for (int i = 0; i < OVERFLOWS; i++) {
        EndOfStack.descend(() -> madvise.tryPurge(ranges));
      }
    });

    assertThat(madvise.tryPurge(ranges)).as("bytes purged").isEqualTo(bytes);
  }
}
