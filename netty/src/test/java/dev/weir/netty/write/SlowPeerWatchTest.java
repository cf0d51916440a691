package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SlowPeerWatchTest {
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final AtomicInteger slow = new AtomicInteger();
  private final SlowPeerWatch watch =
      new SlowPeerWatch(channel.eventLoop(), TimeUnit.SECONDS.toNanos(10), slow::incrementAndGet);

  @BeforeEach
  void stopTheClock() {
    channel.freezeTime();
  }

  private void pass(int seconds) {
    channel.advanceTimeBy(seconds, TimeUnit.SECONDS);
    channel.runScheduledPendingTasks();
  }

  @Test
  void whoeverStaysAboveForTheTimeIsSlow() {
    watch.observe(true);
    pass(9);
    watch.observe(true);
    assertThat(slow).hasValue(0);
    pass(1);
    assertThat(slow).hasValue(1);
    watch.observe(true);
    pass(100);
    assertThat(slow).as("told once").hasValue(1);
  }

  @Test
  void theTimeBeginsAnewBelow() {
    watch.observe(true);
    pass(9);
    watch.observe(false);
    watch.observe(true);
    pass(9);
    assertThat(slow).hasValue(0);
    pass(1);
    assertThat(slow).hasValue(1);
  }

  /** Nobody has looked between a fall and the end of the time. */
  @Test
  void aFallThatIsSeenAtTheEndOfTheTimeIsAFall() {
    AtomicBoolean isAbove = new AtomicBoolean(true);
    AtomicReference<SlowPeerWatch> looking = new AtomicReference<>();
    looking.set(
        new SlowPeerWatch(
            channel.eventLoop(),
            TimeUnit.SECONDS.toNanos(10),
            () -> {
              looking.get().observe(isAbove.get());
              slow.addAndGet(isAbove.get() ? 1 : 0);
            }));
    looking.get().observe(true);
    isAbove.set(false);
    pass(10);
    assertThat(slow).hasValue(0);
    isAbove.set(true);
    looking.get().observe(true);
    pass(10);
    assertThat(slow).hasValue(1);
  }
}
