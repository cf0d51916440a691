package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A handler that comes to a channel, which may have much queued already. */
class WriteGateAddedTest {
  private static final int MESSAGE_BYTES = 32 << 10;

  private final WriteGate gate =
      new WriteGate(
          new WriteGateOptions(1 << 20, 1 << 20, MESSAGE_BYTES / 2, Duration.ofSeconds(30)));

  private final EmbeddedChannel channel = new EmbeddedChannel();

  private void queue() {
    channel.write(Unpooled.buffer(MESSAGE_BYTES).writeZero(MESSAGE_BYTES));
  }

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
    assertThat(gate.queuedBytes()).isZero();
  }

  /** Though nothing more is written or flushed. */
  @Test
  void whatIsQueuedAlreadyIsCountedAndItsPeerWatched() {
    channel.freezeTime();
    queue();
    channel.pipeline().addLast(gate.newHandler());
    assertThat(gate.queuedBytes()).isGreaterThanOrEqualTo(MESSAGE_BYTES);
    channel.advanceTimeBy(31, TimeUnit.SECONDS);
    channel.runScheduledPendingTasks();
    channel.runPendingTasks();
    assertThat(channel.isActive()).isFalse();
    assertThat(gate.slowClosings()).isEqualTo(1);
  }

  @Test
  void whatIsQueuedAlreadyIsStoppedByAClosedGate() {
    queue();
    gate.addCritical();
    channel.pipeline().addLast(gate.newHandler());
    assertThat(channel.isWritable()).isFalse();
  }
}
