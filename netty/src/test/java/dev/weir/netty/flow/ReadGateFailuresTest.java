package dev.weir.netty.flow;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Whatever fails on the way, a gate opens, and nobody whom it has stopped is forgotten. */
class ReadGateFailuresTest {
  private final SwitchedHeadroom headroom = new SwitchedHeadroom();

  /** What channels hold; of those that are not in it, it cannot be told. */
  private final Map<Channel, Long> held = new HashMap<>();

  private final ReadGate gate = new ReadGate(headroom, held::get);

  @Test
  void allAreResumedThoughItIsNotKnownWhatOneHolds() {
    EmbeddedChannel listener = new EmbeddedChannel(gate.newListenerHandler());
    EmbeddedChannel first = stopped(10L);
    EmbeddedChannel unknown = stopped(20L);
    EmbeddedChannel last = stopped(30L);
    held.remove(unknown);

    headroom.isShort = false;
    headroom.waits.getFirst().complete(true);
    assertThat(reads(first)).isTrue();
    assertThat(reads(unknown)).isTrue();
    assertThat(reads(last)).isTrue();
    assertThat(reads(listener)).isTrue();
    assertThat(gate.pausedChannels()).isZero();
  }

  @Test
  void whoHoldsNobodyKnowsWhatCountsAsOneThatHoldsNothing() {
    EmbeddedChannel unknown = stopped(30L);
    EmbeddedChannel known = stopped(10L);
    held.remove(unknown);

    headroom.waits.get(0).complete(false);
    assertThat(reads(known)).isTrue();
    assertThat(reads(unknown)).isFalse();
    headroom.waits.get(1).complete(false);
    assertThat(reads(unknown)).isTrue();
    headroom.waits.get(2).complete(true);
    assertThat(gate.isClosed()).isFalse();
  }

  @Test
  void aGateThatCannotWaitForReliefStaysOpen() {
    headroom.fails = true;
    headroom.isShort = true;
    EmbeddedChannel listener = new EmbeddedChannel(gate.newListenerHandler());
    EmbeddedChannel channel = new EmbeddedChannel(gate.newHandler());
    held.put(channel, 1L);
    channel.writeInbound("message");
    assertThat(gate.isClosed()).isFalse();
    assertThat(reads(channel)).isTrue();
    assertThat(reads(listener)).isTrue();

    headroom.fails = false;
    channel.writeInbound("message");
    assertThat(reads(channel)).isFalse();
    assertThat(reads(listener)).isFalse();
  }

  @Test
  void aGateThatCannotWaitForReliefAnyMoreOpens() {
    EmbeddedChannel first = stopped(1L);
    EmbeddedChannel second = stopped(2L);
    headroom.fails = true;
    headroom.waits.getFirst().complete(false);
    assertThat(gate.isClosed()).isFalse();
    assertThat(reads(first)).isTrue();
    assertThat(reads(second)).isTrue();
  }

  @Test
  void aStageThatTellsNeitherCountsAsRelief() {
    EmbeddedChannel channel = stopped(1L);
    headroom.waits.getFirst().complete(null);
    assertThat(gate.isClosed()).isFalse();
    assertThat(reads(channel)).isTrue();
  }

  /** A channel that holds so much, and that the gate has stopped. */
  private EmbeddedChannel stopped(long bytes) {
    EmbeddedChannel channel = new EmbeddedChannel(gate.newHandler());
    held.put(channel, bytes);
    headroom.isShort = true;
    channel.writeInbound("message");
    assertThat(reads(channel)).isFalse();
    return channel;
  }

  private static boolean reads(EmbeddedChannel channel) {
    channel.runPendingTasks();
    return channel.config().isAutoRead();
  }
}
