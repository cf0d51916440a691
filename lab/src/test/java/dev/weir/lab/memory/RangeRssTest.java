package dev.weir.lab.memory;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.heap.Block;
import java.io.IOException;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Both ways to ask the kernel for what a pool holds, which must agree on a pool at rest. */
@EnabledOnOs(OS.LINUX)
class RangeRssTest {
  private static final int BLOCK_BYTES = 64 * 4096;
  private static final int WRITTEN_BLOCKS = 48;

  @Test
  void bothWaysCountTheSamePages() throws IOException {
    try (Pool pool = Pool.create(PoolOptions.withLimit(64 << 20).withName("rss"))) {
      // Every second page, so that there are more regions than one call tells.
      Block[] blocks = new Block[WRITTEN_BLOCKS];
      for (int i = 0; i < WRITTEN_BLOCKS; i++) {
        blocks[i] = pool.allocate(BLOCK_BYTES);
      }
      AddressRange range = new AddressRange(pool.reservationAddress(), pool.reservationBytes());
      RangeRss rss = RangeRss.cheap();
      long before = new Smaps().rssBytes(range);
      assertThat(rss.bytes(range)).isEqualTo(before);

      for (Block block : blocks) {
        for (long at = 0; at < BLOCK_BYTES; at += 2 * 4096) {
          block.segment().set(JAVA_BYTE, at, (byte) 1);
        }
      }
      long after = new Smaps().rssBytes(range);
      assertThat(after - before).isEqualTo(WRITTEN_BLOCKS * (long) BLOCK_BYTES / 2);
      assertThat(rss.bytes(range)).isEqualTo(after);
      OptionalLong scanned = new PageScan().presentBytes(range);
      assertThat(scanned)
          .satisfiesAnyOf(
              bytes -> assertThat(bytes).isEmpty(), bytes -> assertThat(bytes).hasValue(after));
      for (Block block : blocks) {
        block.close();
      }
    }
  }
}
