package dev.weir.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.profile.LeakWatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A console that is closed while its thread makes a frame. */
@Timeout(120)
class ConsoleClosingTest {
  private static final int MORE_THAN_CLIENTS_MAY_HOLD = 70;

  private final Pool pool = Pool.create(PoolOptions.withLimit(4 << 20));
  private final Console console =
      Console.start(
          pool,
          Map.of(),
          ConsoleAccess.OFF,
          /* intervalMillis= */ 0,
          new LeakWatch(Duration.ofSeconds(30)));
  private final List<Frame> held = new ArrayList<>();

  private void hold(int frames) throws Exception {
    for (int i = 0; i < frames; i++) {
      held.add(console.frame().get(60, TimeUnit.SECONDS));
    }
  }

  @AfterEach
  void everyFrameHasOneReferenceForEachHolder() {
    assertThat(held).noneMatch(Frame::isGone);
    held.forEach(Frame::release);
    assertThat(held).allMatch(Frame::isGone);
    pool.close();
  }

  @Test
  void aFrameThatWasShownAlreadyIsReleasedOnce() throws Exception {
    hold(MORE_THAN_CLIENTS_MAY_HOLD);
    assertThat(held.getLast()).as("no more are built").isSameAs(held.get(held.size() - 2));

    Frame built = console.buildIfRoom();
    console.close();
    assertThat(console.publish(built, /* failure= */ null)).isNull();
  }

  @Test
  void aFrameThatNobodyWasShownIsReleased() throws Exception {
    hold(1);
    Frame built = console.buildIfRoom();
    console.close();
    assertThat(console.publish(built, /* failure= */ null)).isNull();
    assertThat(built).isNotNull().matches(Frame::isGone);
  }
}
