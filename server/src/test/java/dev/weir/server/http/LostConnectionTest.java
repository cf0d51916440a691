package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.memory.budget.Budget;
import dev.weir.netty.WeirAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** No budget stays of a connection that cannot be set up, or that is gone. */
class LostConnectionTest {
  private final WeirAllocator allocator = WeirAllocator.withLimit(4 << 20);
  private final ConnectionBudgets budgets = new ConnectionBudgets(allocator);

  @AfterEach
  void nothingIsLeft() {
    for (Budget usage : allocator.pool().rootBudget().children()) {
      assertThat(usage.children()).as(usage.name()).isEmpty();
    }
    allocator.pool().checkInvariants();
    allocator.close();
  }

  @Test
  void aConnectionThatEnds() {
    EmbeddedChannel channel = new EmbeddedChannel();
    ConnectionMemory memory = budgets.apply(channel);
    memory.uploads().directBuffer(100).release();
    memory.responses().directBuffer(100).release();
    assertThat(allocator.pool().rootBudget().children())
        .hasSize(3)
        .allMatch(usage -> usage.children().size() == 1);
    channel.finishAndReleaseAll();
  }

  @Test
  void whatAGoneConnectionAsksForIsRefused() {
    EmbeddedChannel channel = new EmbeddedChannel();
    ConnectionMemory memory = budgets.apply(channel);
    channel.finishAndReleaseAll();
    assertThatThrownBy(() -> memory.responses().directBuffer(100))
        .isInstanceOf(OutOfMemoryError.class);
    assertThatThrownBy(() -> memory.uploads().directBuffer(100))
        .isInstanceOf(OutOfMemoryError.class);
  }
}
