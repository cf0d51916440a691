package dev.weir.netty.flow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.CountReads;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ReadGateTest {
  private final SwitchedHeadroom headroom = new SwitchedHeadroom();
  private final ReadGate gate = new ReadGate(headroom);
  private final Map<Channel, Long> held = new HashMap<>();
  private final ReadGate fair = new ReadGate(headroom, channel -> held.getOrDefault(channel, 0L));

  @Test
  void readsOnWhileThereIsRoom() {
    EmbeddedChannel channel = new EmbeddedChannel(gate.newHandler());
    channel.writeInbound("message");
    assertThat(reads(channel)).isTrue();
    assertThat(gate.isClosed()).isFalse();
    assertThat(headroom.waits).isEmpty();
  }

  @Test
  void stopsAfterTheReadThatLeavesMemoryShortAndResumesOnRelief() {
    EmbeddedChannel first = new EmbeddedChannel(gate.newHandler());
    EmbeddedChannel second = new EmbeddedChannel(gate.newHandler());
    headroom.isShort = true;
    first.writeInbound("message");
    assertThat(first.<String>readInbound()).isEqualTo("message");
    assertThat(reads(first)).isFalse();
    assertThat(reads(second)).isTrue();
    second.writeInbound("message");
    assertThat(reads(second)).isFalse();
    assertThat(headroom.waits).hasSize(1);

    headroom.isShort = false;
    headroom.waits.getFirst().complete(true);
    assertThat(reads(first)).isTrue();
    assertThat(reads(second)).isTrue();
    assertThat(gate.isClosed()).isFalse();
    assertThat(gate.closings()).isEqualTo(1);
  }

  @Test
  void withAutoReadOffAReadWaitsForTheGateAndIsMadeOnce() {
    CountReads reads = new CountReads();
    EmbeddedChannel channel = new EmbeddedChannel(reads, gate.newHandler());
    channel.config().setAutoRead(false);
    reads.count = 0;
    channel.read();
    assertThat(reads.count).isEqualTo(1);

    headroom.isShort = true;
    channel.writeInbound("message");
    channel.read();
    channel.read();
    assertThat(reads.count).isEqualTo(1);

    headroom.isShort = false;
    headroom.waits.getFirst().complete(true);
    assertThat(reads(channel)).isFalse();
    assertThat(reads.count).isEqualTo(2);
    channel.read();
    assertThat(reads.count).isEqualTo(3);
  }

  @Test
  void withAutoReadOffTheGateAsksForNothing() {
    CountReads reads = new CountReads();
    EmbeddedChannel channel = new EmbeddedChannel(reads, gate.newHandler());
    channel.config().setAutoRead(false);
    headroom.isShort = true;
    channel.writeInbound("message");
    reads.count = 0;
    headroom.waits.getFirst().complete(false);
    headroom.waits.get(1).complete(true);
    assertThat(reads(channel)).isFalse();
    assertThat(reads.count).isZero();
  }

  @Test
  void aWaitInVainLetsTheLongestStoppedReadUntilTheGateOpens() {
    EmbeddedChannel first = new EmbeddedChannel(gate.newHandler());
    EmbeddedChannel second = new EmbeddedChannel(gate.newHandler());
    headroom.isShort = true;
    first.writeInbound("message");
    second.writeInbound("message");

    headroom.waits.get(0).complete(false);
    assertThat(reads(first)).isTrue();
    assertThat(reads(second)).isFalse();
    first.writeInbound("message");
    assertThat(reads(first)).isTrue();

    // The first has made progress, so the second waits on.
    headroom.waits.get(1).complete(false);
    assertThat(reads(second)).isFalse();

    headroom.waits.get(2).complete(false);
    assertThat(reads(second)).isTrue();
    assertThat(gate.closings()).isEqualTo(1);

    headroom.waits.get(3).complete(true);
    assertThat(gate.isClosed()).isFalse();
    first.writeInbound("message");
    assertThat(reads(first)).isFalse();
    assertThat(gate.closings()).isEqualTo(2);
  }

  @Test
  void aChannelThatFindsTheGateOpenAgainTakesNoLaterTurn() {
    ReadGateHandler early = (ReadGateHandler) gate.newHandler();
    EmbeddedChannel first = new EmbeddedChannel(early);
    EmbeddedChannel second = new EmbeddedChannel(gate.newHandler());
    ReadHolds.of(first).hold(ReadHolds.Reason.PRESSURE);
    gate.await(early);
    assertThat(reads(first)).isTrue();

    headroom.isShort = true;
    second.writeInbound("message");
    assertThat(reads(second)).isFalse();
    headroom.waits.getFirst().complete(false);
    assertThat(reads(second)).isTrue();
  }

  @Test
  void channelsThatGoWhileTheyAreStoppedLeaveNothing() {
    headroom.isShort = true;
    EmbeddedChannel stays = new EmbeddedChannel(gate.newHandler());
    stays.writeInbound("message");
    for (int i = 0; i < 1_000; i++) {
      EmbeddedChannel goes = new EmbeddedChannel(gate.newHandler());
      goes.writeInbound("message");
      goes.close();
    }
    assertThat(gate.isClosed()).isTrue();
    assertThat(gate.pausedChannels()).isEqualTo(1);
    headroom.isShort = false;
    headroom.waits.getFirst().complete(true);
    assertThat(reads(stays)).isTrue();
    assertThat(gate.pausedChannels()).isZero();
  }

  @Test
  void aChannelThatItsReadClosesIsNotStopped() {
    headroom.isShort = true;
    EmbeddedChannel channel =
        new EmbeddedChannel(
            gate.newHandler(),
            new ChannelInboundHandlerAdapter() {
              @Override
              public void channelRead(ChannelHandlerContext ctx, Object message) {
                ctx.pipeline().remove(ReadGateHandler.class);
              }
            });
    channel.writeInbound("message");
    assertThat(gate.pausedChannels()).isZero();
  }

  @Test
  void aChannelWithAPermitReadsOn() {
    EmbeddedChannel channel = new EmbeddedChannel(gate.newHandler());
    ReadHolds.of(channel).exempt();
    headroom.isShort = true;
    channel.writeInbound("message");
    assertThat(gate.isClosed()).isTrue();
    assertThat(reads(channel)).isTrue();
    ReadHolds.of(channel).endExemption();
    channel.writeInbound("message");
    assertThat(reads(channel)).isFalse();
  }

  @Test
  void aStoppedChannelThatGetsItsPermitReadsOn() {
    EmbeddedChannel channel = new EmbeddedChannel(gate.newHandler());
    headroom.isShort = true;
    channel.writeInbound("message");
    assertThat(reads(channel)).isFalse();
    ReadHolds.of(channel).exempt();
    assertThat(reads(channel)).isTrue();
  }

  /** It reads as long as its body takes, whatever the gate does: nobody is to wait for that. */
  @Test
  void aChannelThatGetsItsPermitWhileItIsStoppedTakesNobodysTurn() {
    EmbeddedChannel permitted = new EmbeddedChannel(gate.newHandler());
    EmbeddedChannel waiting = new EmbeddedChannel(gate.newHandler());
    headroom.isShort = true;
    permitted.writeInbound("head");
    waiting.writeInbound("message");
    ReadHolds.of(permitted).exempt();
    permitted.writeInbound("body");
    assertThat(gate.pausedChannels()).isEqualTo(1);

    headroom.waits.get(0).complete(false);
    assertThat(reads(permitted)).isTrue();
    assertThat(reads(waiting)).isTrue();
  }

  @Test
  void aChannelThatGetsItsPermitInItsTurnHandsTheTurnOn() {
    EmbeddedChannel permitted = new EmbeddedChannel(gate.newHandler());
    EmbeddedChannel waiting = new EmbeddedChannel(gate.newHandler());
    headroom.isShort = true;
    permitted.writeInbound("head");
    waiting.writeInbound("message");
    headroom.waits.get(0).complete(false);
    ReadHolds.of(permitted).exempt();
    permitted.writeInbound("body");
    assertThat(reads(waiting)).isFalse();

    headroom.waits.get(1).complete(false);
    assertThat(reads(permitted)).isTrue();
    assertThat(reads(waiting)).isTrue();
  }

  @Test
  void closedChannelsAndRemovedHandlersAreNotLetThrough() {
    EmbeddedChannel closed = new EmbeddedChannel(gate.newHandler());
    EmbeddedChannel removed = new EmbeddedChannel(gate.newHandler());
    EmbeddedChannel waiting = new EmbeddedChannel(gate.newHandler());
    headroom.isShort = true;
    closed.writeInbound("message");
    removed.writeInbound("message");
    waiting.writeInbound("message");
    closed.close();
    removed.pipeline().remove(ReadGateHandler.class);
    assertThat(reads(removed)).isTrue();

    headroom.waits.getFirst().complete(false);
    assertThat(reads(waiting)).isTrue();
  }

  @Test
  void opensForGoodMeasureWhenReliefCannotBeTold() {
    EmbeddedChannel channel = new EmbeddedChannel(gate.newHandler());
    headroom.isShort = true;
    channel.writeInbound("message");
    headroom.waits.getFirst().completeExceptionally(new IllegalStateException("pool closed"));
    assertThat(reads(channel)).isTrue();
  }

  @Test
  void listenersStopWithTheGateAndGoOnWithIt() {
    EmbeddedChannel listener = new EmbeddedChannel(gate.newListenerHandler());
    EmbeddedChannel channel = new EmbeddedChannel(gate.newHandler());
    headroom.isShort = true;
    channel.writeInbound("message");
    assertThat(reads(listener)).isFalse();
    EmbeddedChannel late = new EmbeddedChannel(gate.newListenerHandler());
    assertThat(reads(late)).isFalse();
    headroom.waits.getFirst().complete(false);
    assertThat(reads(channel)).isTrue();
    assertThat(reads(listener)).isFalse();
    headroom.waits.get(1).complete(true);
    assertThat(reads(listener)).isTrue();
    assertThat(reads(late)).isTrue();
  }

  @Test
  void theLargestHoldersStopFirstAndNothingNewIsLetIn() {
    EmbeddedChannel listener = new EmbeddedChannel(fair.newListenerHandler());
    EmbeddedChannel small = holding(10);
    EmbeddedChannel large = holding(100);
    EmbeddedChannel larger = holding(120);
    headroom.isTight = true;
    small.writeInbound("message");
    large.writeInbound("message");
    larger.writeInbound("message");
    assertThat(reads(small)).isTrue();
    assertThat(reads(large)).isFalse();
    assertThat(reads(larger)).isFalse();
    assertThat(reads(listener)).isFalse();

    headroom.isShort = true;
    small.writeInbound("message");
    assertThat(reads(small)).isFalse();
    // What was begun most comes first.
    headroom.waits.getFirst().complete(false);
    assertThat(reads(larger)).isTrue();
    assertThat(reads(large)).isFalse();
    headroom.isShort = false;
    headroom.isTight = false;
    headroom.waits.get(1).complete(true);
    assertThat(reads(small)).isTrue();
    assertThat(reads(large)).isTrue();
    assertThat(reads(listener)).isTrue();
    assertThat(fair.closings()).isEqualTo(1);
  }

  @Test
  void aChannelThatIsLetThroughReadsOnWhileMemoryIsTight() {
    holding(10);
    EmbeddedChannel large = holding(100);
    EmbeddedChannel larger = holding(120);
    headroom.isTight = true;
    large.writeInbound("message");
    larger.writeInbound("message");

    headroom.waits.get(0).complete(false);
    assertThat(reads(larger)).isTrue();
    larger.writeInbound("message");
    assertThat(reads(larger)).isTrue();
    // It goes on, with less than the average too, so nobody else's turn comes.
    held.put(larger, 20L);
    headroom.waits.get(1).complete(false);
    larger.writeInbound("message");
    headroom.waits.get(2).complete(false);
    assertThat(reads(larger)).isTrue();
    assertThat(reads(large)).isFalse();
    headroom.waits.get(3).complete(false);
    assertThat(reads(large)).isTrue();
  }

  /** As one that waits for something before it completes its pipeline: nobody would tell of it. */
  @Test
  void aHandlerThatComesToAClosedChannelIsForgotten() {
    Set<Channel> asked = new HashSet<>();
    ReadGate asking =
        new ReadGate(
            headroom,
            channel -> {
              asked.add(channel);
              return 1;
            });
    EmbeddedChannel open = new EmbeddedChannel(asking.newHandler());
    EmbeddedChannel closed = new EmbeddedChannel();
    closed.close();
    closed.runPendingTasks();
    closed.pipeline().addLast(asking.newHandler());
    headroom.isShort = true;
    open.writeInbound("message");
    assertThat(asking.isClosed()).isTrue();
    assertThat(asked).containsExactly(open);
    closed.finishAndReleaseAll();
  }

  /** A channel of the gate that stops the largest first. */
  private EmbeddedChannel holding(long bytes) {
    EmbeddedChannel channel = new EmbeddedChannel(fair.newHandler());
    held.put(channel, bytes);
    return channel;
  }

  private static boolean reads(EmbeddedChannel channel) {
    channel.runPendingTasks();
    return channel.config().isAutoRead();
  }
}
