package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A handler that comes to a channel: which may have much queued, or a gate already. */
class WriteGateAddedTest {
  private static final int MESSAGE_BYTES = 32 << 10;

  private final WriteGate gate = newGate();
  private final WriteGate other = newGate();
  private final EmbeddedChannel channel = new EmbeddedChannel();

  private static WriteGate newGate() {
    return new WriteGate(
        new WriteGateOptions(1 << 20, 1 << 20, MESSAGE_BYTES / 2, Duration.ofSeconds(30)));
  }

  private void queue() {
    channel.write(Unpooled.buffer(MESSAGE_BYTES).writeZero(MESSAGE_BYTES));
  }

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
    assertThat(gate.queuedBytes()).isZero();
    assertThat(other.queuedBytes()).isZero();
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

  /** It would lift what the other has stopped. */
  @Test
  void aSecondGateIsRefused() {
    channel.pipeline().addLast(gate.newHandler());
    for (boolean first : new boolean[] {false, true}) {
      if (first) {
        channel.pipeline().addFirst("second", other.newHandler());
      } else {
        channel.pipeline().addLast("second", other.newHandler());
      }
      assertThatThrownBy(channel::checkException)
          .hasRootCauseInstanceOf(IllegalStateException.class)
          .rootCause()
          .hasMessageContaining("second")
          .hasMessageContaining("one write gate at a time");
      assertThat(channel.pipeline().get("second")).isNull();
    }
    gate.addCritical();
    queue();
    assertThat(channel.isWritable()).as("the first goes on").isFalse();
    assertThat(other.queuedBytes()).isZero();
  }

  @Test
  void ofTwoThatComeAtOnceTheSecondIsRefused() throws Exception {
    EmbeddedChannel both = new EmbeddedChannel(/* register= */ false, /* disconnects= */ false);
    both.pipeline().addLast("first", gate.newHandler()).addLast("second", other.newHandler());
    both.register();
    assertThatThrownBy(both::checkException).hasRootCauseInstanceOf(IllegalStateException.class);
    assertThat(both.pipeline().names()).contains("first").doesNotContain("second");
    both.finishAndReleaseAll();
  }

  @Test
  void aGateMayFollowOneThatIsTakenOut() {
    channel.pipeline().addLast("gate", gate.newHandler());
    for (WriteGate next : new WriteGate[] {other, gate, gate}) {
      channel.pipeline().remove("gate");
      channel.pipeline().addLast("gate", next.newHandler());
      channel.checkException();
    }
    gate.addCritical();
    queue();
    assertThat(channel.isWritable()).isFalse();
  }

  /** Netty adds the next before it takes out the one before. */
  @Test
  void aGateMayTakeThePlaceOfAnother() {
    channel.pipeline().addLast("gate", gate.newHandler());
    gate.addCritical();
    other.addCritical();
    queue();
    channel.pipeline().replace("gate", "gate", other.newHandler());
    channel.checkException();
    assertThat(channel.isWritable()).as("the one before does not undo it").isFalse();
    assertThat(gate.queuedBytes()).isZero();
    assertThat(other.queuedBytes()).isGreaterThanOrEqualTo(MESSAGE_BYTES);
    if (gate.removeCritical()) {
      gate.wakeWaiting();
    }
    channel.runPendingTasks();
    assertThat(channel.isWritable()).isFalse();
    if (other.removeCritical()) {
      other.wakeWaiting();
    }
    channel.runPendingTasks();
    assertThat(channel.isWritable()).isTrue();
  }
}
