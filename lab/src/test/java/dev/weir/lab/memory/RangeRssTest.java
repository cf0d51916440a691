package dev.weir.lab.memory;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Block;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Both ways to ask the kernel for what a pool holds, which must agree on a pool at rest. */
@EnabledOnOs(OS.LINUX)
class RangeRssTest {
  private static final int BLOCK_BYTES = 64 * 4096;
  private static final int WRITTEN_BLOCKS = 72;

  @Test
  void bothWaysCountTheSamePages() throws IOException {
    try (Pool pool = Pool.create(PoolOptions.withLimit(64 << 20).withName("rss"))) {
      Block[] blocks = new Block[WRITTEN_BLOCKS];
      for (int i = 0; i < WRITTEN_BLOCKS; i++) {
        blocks[i] = pool.allocate(BLOCK_BYTES);
      }
      AddressRange range = new AddressRange(pool.reservationAddress(), pool.reservationBytes());
      RangeRss rss = new RangeRss();
      long before = new Smaps().rssBytes(range);
      assertThat(rss.bytes(range)).isEqualTo(before);

      // Every second page, so that in the end there are more regions than two calls tell; and after
      // each block, because the kernel is wrong about the end of its walk for some numbers of them.
      long written = before;
      for (Block block : blocks) {
        for (long at = 0; at < BLOCK_BYTES; at += 2 * 4096) {
          block.segment().set(JAVA_BYTE, at, (byte) 1);
        }
        written += BLOCK_BYTES / 2;
        assertThat(new Smaps().rssBytes(range)).isEqualTo(written);
        assertThat(rss.bytes(range)).isEqualTo(written);
        long bytes = written;
        assertThat(new PageScan().presentBytes(range))
            .satisfiesAnyOf(
                scanned -> assertThat(scanned).isEmpty(),
                scanned -> assertThat(scanned).hasValue(bytes));
      }
      for (Block block : blocks) {
        block.close();
      }
    }
  }
}
