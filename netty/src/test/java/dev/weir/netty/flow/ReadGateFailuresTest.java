package dev.weir.netty.flow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.RefusingChannel;
import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/** Whatever fails on the way, a gate opens, and nobody whom it has stopped is forgotten. */
class ReadGateFailuresTest {
  private final SwitchedHeadroom headroom = new SwitchedHeadroom();

  /** What channels hold; of those that are not in it, it cannot be told. */
  private final Map<Channel, Long> held = new HashMap<>();

  /** What the gate tries again in a while. */
  private final Queue<Runnable> later = new ArrayDeque<>();

  private final ReadGate gate =
      new ReadGate(headroom, new HeldBytes(channel -> held.get(channel)), later::add);

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

  @Test
  void aChannelWhoseLoopTakesNoTaskIsResumedByTheNextRead() {
    RefusingChannel refusing = new RefusingChannel(gate.newHandler());
    RefusingChannel listener = new RefusingChannel(gate.newListenerHandler());
    held.put(refusing, 50L);
    headroom.isShort = true;
    refusing.writeInbound("message");
    EmbeddedChannel other = stopped(10L);
    assertThat(reads(refusing)).isFalse();
    assertThat(reads(listener)).isFalse();

    refusing.refuse(true);
    listener.refuse(true);
    headroom.isShort = false;
    headroom.waits.getFirst().complete(true);
    assertThat(reads(other)).isTrue();
    assertThat(reads(refusing)).isFalse();
    assertThat(refusing.refusals()).isEqualTo(1);

    other.writeInbound("message");
    assertThat(reads(refusing)).isFalse();
    refusing.refuse(false);
    listener.refuse(false);
    other.writeInbound("message");
    assertThat(reads(refusing)).isTrue();
    assertThat(reads(listener)).isTrue();
  }

  @Test
  void aChannelWhoseLoopTakesNoTaskIsResumedThoughNobodyReads() {
    RefusingChannel refusing = new RefusingChannel(gate.newHandler());
    headroom.isShort = true;
    refusing.writeInbound("message");
    refusing.refuse(true);
    headroom.isShort = false;
    headroom.waits.getFirst().complete(true);
    later.remove().run();
    assertThat(refusing.refusals()).isEqualTo(2);
    assertThat(reads(refusing)).isFalse();

    refusing.refuse(false);
    later.remove().run();
    assertThat(reads(refusing)).isTrue();
    assertThat(later).isEmpty();
  }

  @Test
  void whereOneCannotBeLetThroughAnotherIs() {
    RefusingChannel refusing = new RefusingChannel(gate.newHandler());
    held.put(refusing, 50L);
    headroom.isShort = true;
    refusing.writeInbound("message");
    EmbeddedChannel other = stopped(10L);

    refusing.refuse(true);
    headroom.waits.get(0).complete(false);
    assertThat(reads(refusing)).isFalse();
    assertThat(reads(other)).isTrue();
    refusing.refuse(false);
    headroom.isShort = false;
    headroom.waits.get(1).complete(true);
    assertThat(reads(refusing)).isTrue();
  }

  /** It would accept, and what comes of that is stopped as well. */
  @Test
  void aListenerWhoseLoopTookNoTaskIsNotLetThrough() {
    RefusingChannel listener = new RefusingChannel(gate.newListenerHandler());
    EmbeddedChannel other = stopped(1L);
    assertThat(reads(listener)).isFalse();
    listener.refuse(true);
    headroom.isShort = false;
    headroom.waits.get(0).complete(true);
    assertThat(reads(other)).isTrue();
    headroom.isShort = true;
    other.writeInbound("message");
    listener.refuse(false);
    headroom.waits.get(1).complete(false);
    headroom.waits.get(2).complete(false);
    assertThat(gate.isClosed()).isTrue();
    assertThat(reads(listener)).isFalse();
    headroom.isShort = false;
    headroom.waits.get(3).complete(true);
    assertThat(reads(listener)).isTrue();
  }

  /** Or nobody ever would be: what holds the memory is stopped itself. */
  @Test
  void whoCouldNotBeLetThroughIsAfterTheNextWait() {
    RefusingChannel refusing = new RefusingChannel(gate.newHandler());
    held.put(refusing, 50L);
    headroom.isShort = true;
    refusing.writeInbound("message");
    refusing.refuse(true);
    headroom.waits.get(0).complete(false);
    assertThat(reads(refusing)).isFalse();
    headroom.waits.get(1).complete(false);
    assertThat(reads(refusing)).isFalse();
    refusing.refuse(false);
    headroom.waits.get(2).complete(false);
    assertThat(reads(refusing)).isTrue();
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
