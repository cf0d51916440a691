package dev.weir.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Block;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ChannelsTest {
  private final Pool pool = Pool.create(PoolOptions.withLimit(64 << 20));
  private final List<Block> held = new ArrayList<>();
  private final List<Budget> usages =
      Arrays.stream(Usage.values())
          .map(usage -> pool.rootBudget().child(usage.budgetName(), Budget.UNLIMITED))
          .toList();

  @AfterEach
  void stop() {
    held.forEach(Block::release);
    pool.close();
  }

  private void hold(Usage usage, String client, int bytes) {
    Budget budget = usages.get(usage.ordinal()).child(client, Budget.UNLIMITED);
    held.add(pool.allocate(bytes, budget));
  }

  /** 100 clients that hold much of one kind hide what the largest of all holds of each kind. */
  private void holdForMany() {
    for (int i = 0; i < 100; i++) {
      hold(Usage.values()[i % 3], "client " + i, 8192);
    }
    for (Usage usage : Usage.values()) {
      hold(usage, "largest", 6144);
    }
  }

  private static List<?> top(Map<String, Object> json) {
    return (List<?>) json.get("top");
  }

  @Test
  void theLargestOfAllComesFirstWhateverItHoldsItFor() {
    holdForMany();
    Map<String, Object> json = Channels.json(pool.rootBudget());
    assertThat(json).containsEntry("bytes", 100 * 8192L + 3 * 6144L);
    assertThat(top(json)).hasSize(Channels.MAX_LISTED);
    assertThat(top(json).getFirst())
        .isEqualTo(Map.of("name", "largest", "bytes", 3 * 6144L, "peakBytes", 3 * 6144L));
    assertThat(json)
        .containsEntry("count", 101)
        .containsEntry("others", 101 - Channels.MAX_LISTED)
        .containsEntry("otherBytes", (101L - Channels.MAX_LISTED) * 8192);
  }

  @Test
  void whatIsLeftOutBeyondTheMostIsTheOthers() {
    holdForMany();
    Map<String, Object> json = Channels.json(pool.rootBudget(), 10);
    assertThat(json).containsEntry("bytes", 100 * 8192L + 3 * 6144L);
    assertThat(top(json)).hasSize(Channels.MAX_LISTED);
    assertThat(json)
        .containsEntry("otherBytes", 100 * 8192L + 3 * 6144L - Channels.MAX_LISTED * 8192L);
  }

  @Test
  void withoutConnectionsThereIsNothing() {
    assertThat(Channels.json(pool.rootBudget()))
        .isEqualTo(
            Map.of("bytes", 0L, "count", 0, "top", List.of(), "others", 0, "otherBytes", 0L));
  }

  @Test
  void aClientThatHoldsNothingIsCountedAndNotListed() {
    usages.getFirst().child("idle", Budget.UNLIMITED);
    hold(Usage.UPLOADS, "busy", 100);
    Map<String, Object> json = Channels.json(pool.rootBudget());
    assertThat(json).containsEntry("count", 2).containsEntry("others", 1);
    assertThat(json).containsEntry("otherBytes", 0L);
    assertThat(top(json)).hasSize(1);
  }
}
