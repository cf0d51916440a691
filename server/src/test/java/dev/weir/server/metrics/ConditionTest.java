package dev.weir.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ConditionTest {
  private final List<String> lines = new ArrayList<>();
  private long now = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(5);
  private final Conditions conditions =
      new Conditions(() -> now, (level, text) -> lines.add(level + " " + text));

  private void pass(long seconds) {
    now += TimeUnit.SECONDS.toNanos(seconds);
    conditions.look();
  }

  @Test
  void aConditionIsToldOnceWhenItBeginsAndOnceWhenItIsOver() {
    for (int i = 0; i < 50; i++) {
      conditions.noPlace();
      pass(1);
    }
    assertThat(lines)
        .containsExactly(
            "WARNING the node has as many clients as it takes: others are answered 503");
    lines.clear();
    pass(8);
    assertThat(lines).isEmpty();
    pass(1);
    pass(100);
    assertThat(lines)
        .containsExactly("INFO the node has places for clients again (50 times in 49 s)");
  }

  @Test
  void itIsToldAgainWhenItBeginsAgain() {
    conditions.noMemory();
    pass(10);
    conditions.noMemory();
    pass(9);
    assertThat(lines)
        .containsExactly(
            "WARNING memory is short: answers wait for room in the budget",
            "INFO answers do not wait for memory any more (once in 0 s)",
            "WARNING memory is short: answers wait for room in the budget");
  }

  @Test
  void eachIsToldApart() {
    conditions.noDisk();
    conditions.flood("/192.0.2.1:5, a client sends nothing but control frames");
    conditions.flood("another");
    assertThat(lines)
        .containsExactly(
            "WARNING the disk is full: appends are answered 507",
            "WARNING a flood was cut off, more are only counted: /192.0.2.1:5, a client sends"
                + " nothing but control frames");
  }
}
