package dev.weir.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where appends are known to have begun, so that a search for a message need not begin at 0. */
class AppendStartsTest {
  @TempDir Path directory;

  @Test
  void eachAppendIsKnownUntilItIsFlushedAndTheFirstOfAFlushForEver() throws IOException {
    try (StoreFixture fixture = new StoreFixture(directory)) {
      fixture.create("a");
      fixture.append("a", "1234");
      fixture.append("a", "5678");
      assertThat(start(fixture, 3)).isZero();
      assertThat(start(fixture, 6)).isEqualTo(4);
      fixture.store.flush().join();
      assertThat(start(fixture, 6)).isZero();
      fixture.append("a", "9");
      fixture.append("a", "0");
      fixture.store.flush().join();
      fixture.append("a", "x");
    }
    try (StoreFixture fixture = new StoreFixture(directory)) {
      assertThat(start(fixture, 7)).isZero();
      assertThat(start(fixture, 9)).isEqualTo(8);
      assertThat(start(fixture, 10)).isEqualTo(10);
      assertThat(start(fixture, 11)).isEqualTo(10);
    }
  }

  /** A segment may end in the middle of an append. */
  @Test
  void aSegmentThatBeginsWithinAnAppendIsNoStart() throws IOException {
    byte[] piece = new byte[1 << 20];
    try (StoreFixture fixture = new StoreFixture(directory)) {
      fixture.create("a");
      Spool spool = fixture.store.spool();
      for (int i = 0; i < 65; i++) {
        spool.write(ByteBuffer.wrap(piece));
      }
      fixture.append(new AppendRequest("a", "text/plain", false, null, null), spool.finish());
      fixture.store.flush().join();
      assertThat(StoreFixture.segments(directory)).hasSize(2);
      assertThat(start(fixture, (65 << 20) - 1)).isZero();
    }
  }

  private static long start(StoreFixture fixture, long offset) {
    return fixture.store.lastAppendStart(fixture.state("a"), offset);
  }
}
