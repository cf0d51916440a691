package dev.weir.lab.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Block;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class ThreadFaultsTest {

  @Test
  void readsTheFieldBehindANameOfAnyKind() {
    assertThat(ThreadFaults.minor("12 (a) b (c)) S 1 12 12 0 -1 4194560 321 0 5 0 7 8"))
        .isEqualTo(321);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void countsFirstTouches() throws IOException {
    try (Pool pool = Pool.create(PoolOptions.withLimit(16 << 20));
        Block block = pool.allocate(4 << 20)) {
      long before = ThreadFaults.minor();
      block.segment().fill((byte) 1);
      assertThat(ThreadFaults.minor()).isGreaterThan(before);
    }
  }
}
