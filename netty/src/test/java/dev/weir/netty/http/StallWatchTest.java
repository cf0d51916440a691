package dev.weir.netty.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A stall is a time in which less than 1 KiB came, or a 256th of what is held. */
class StallWatchTest {
  /** So much that a KiB is a 256th of it. */
  private static final int HELD_BYTES = 256 << 10;

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private boolean stalled;
  private StallWatch watch;

  @BeforeEach
  void begin() {
    channel.freezeTime();
    watch = new StallWatch(channel.eventLoop(), Duration.ofSeconds(30), () -> stalled = true);
    watch.watch();
  }

  @Test
  void eachKibBeginsTheTimeAnew() {
    for (int i = 0; i < 3; i++) {
      pass(29);
      watch.received(1_000, HELD_BYTES);
      watch.received(24, HELD_BYTES);
      assertThat(stalled).isFalse();
    }
    pass(29);
    assertThat(stalled).isFalse();
    pass(1);
    assertThat(stalled).isTrue();
  }

  @Test
  void fewerBytesDoNot() {
    pass(29);
    watch.received(1_023, HELD_BYTES);
    pass(1);
    assertThat(stalled).isTrue();
  }

  @Test
  void whoHoldsMuchHasToSendMore() {
    for (int i = 0; i < 3; i++) {
      pass(29);
      watch.received(256 << 10, 64 << 20);
      assertThat(stalled).isFalse();
    }
    pass(29);
    watch.received((256 << 10) - 1, 64 << 20);
    pass(1);
    assertThat(stalled).isTrue();
  }

  @Test
  void aPauseDoesNotCountAndIsNoProgress() {
    pass(20);
    watch.pause();
    pass(100);
    watch.unpause();
    watch.watch();
    pass(9);
    assertThat(stalled).isFalse();
    pass(1);
    assertThat(stalled).isTrue();
  }

  @Test
  void aStoppedWatchIsSilent() {
    watch.stop();
    pass(100);
    assertThat(stalled).isFalse();
  }

  private void pass(int seconds) {
    channel.advanceTimeBy(seconds, TimeUnit.SECONDS);
    channel.runScheduledPendingTasks();
  }
}
