package dev.weir.streams;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** A mark is known in its own place, in its own journal, and nowhere else. */
class SyncMarkTest {
  private static final long POSITION = 0x1234_5678_9abcL;
  private final SyncMark mark = new SyncMark(0x0fed_cba9_8765_4321L);

  /** As it lies in a file, behind some other bytes. */
  private ByteBuffer frame(int index) {
    ByteBuffer body = mark.at(POSITION);
    ByteBuffer bytes = ByteBuffer.allocate(index + FrameLayout.HEADER_BYTES + SyncMark.BODY_BYTES);
    bytes.position(index);
    FrameLayout.putHeader(bytes, body.remaining(), FrameLayout.checksum(body, bytes.slice(0, 0)));
    return bytes.put(body).flip();
  }

  @Test
  void aBodyIsAMarkInItsPlaceOnly() {
    assertThat(mark.isAt(POSITION, mark.at(POSITION))).isTrue();
    assertThat(mark.isAt(POSITION + 1, mark.at(POSITION))).isFalse();
    assertThat(new SyncMark(1).isAt(POSITION, mark.at(POSITION))).isFalse();
    ByteBuffer within = ByteBuffer.allocate(5 + SyncMark.BODY_BYTES + 1);
    within.position(5).put(mark.at(POSITION)).flip().position(5);
    assertThat(mark.isAt(POSITION, within)).isTrue();
    assertThat(mark.isAt(POSITION, within.position(4))).isFalse();
    assertThat(mark.isAt(POSITION, within.position(6))).isFalse();
  }

  @Test
  void eachBitOfABodyCounts() {
    for (int bit = 0; bit < SyncMark.BODY_BYTES * Byte.SIZE; bit++) {
      ByteBuffer body = mark.at(POSITION);
      body.put(bit / 8, (byte) (body.get(bit / 8) ^ (1 << (bit % 8))));
      assertThat(mark.isAt(POSITION, body)).isFalse();
    }
  }

  @Test
  void aFrameIsAMarkAtItsIndexOnly() {
    ByteBuffer bytes = frame(7);
    for (int index = 0; index < bytes.limit(); index++) {
      assertThat(mark.isAt(index, bytes, POSITION - 7)).isEqualTo(index == 7);
    }
    assertThat(mark.isAt(7, bytes, POSITION)).isFalse();
    assertThat(mark.isAt(7, bytes.limit(bytes.limit() - 1), POSITION - 7)).isFalse();
  }

  @Test
  void toLookForOneTakesNoMemory() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    ByteBuffer bytes = frame(7);
    ByteBuffer body = mark.at(POSITION);
    int found = 0;
    threads.getCurrentThreadAllocatedBytes();
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < 10_000; i++) {
      found += mark.isAt(7, bytes, POSITION - 7) ? 1 : 0;
      found += mark.isAt(POSITION, body) ? 1 : 0;
    }
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(10_000);
    assertThat(found).isEqualTo(20_000);
  }
}
