package dev.weir.netty.flow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.CountReads;
import dev.weir.netty.flow.ReadHolds.Reason;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

class ReadHoldsTest {
  private final CountReads reads = new CountReads();
  private final EmbeddedChannel channel = new EmbeddedChannel(reads);
  private final ReadHolds holds = ReadHolds.of(channel);

  @Test
  void readsAgainWhenTheLastReasonIsGone() {
    holds.hold(Reason.ORDER);
    holds.hold(Reason.PRESSURE);
    holds.hold(Reason.ORDER);
    assertThat(channel.config().isAutoRead()).isFalse();
    holds.release(Reason.ORDER);
    assertThat(holds.held()).isTrue();
    assertThat(channel.config().isAutoRead()).isFalse();
    holds.release(Reason.PRESSURE);
    assertThat(channel.config().isAutoRead()).isTrue();
    assertThat(holds.held()).isFalse();
  }

  @Test
  void releasingWhatIsNotHeldChangesNothing() {
    channel.config().setAutoRead(false);
    reads.count = 0;
    holds.release(Reason.ORDER);
    assertThat(channel.config().isAutoRead()).isFalse();
    assertThat(reads.count).isZero();
  }

  @Test
  void aReadThatCameDuringAHoldIsMadeUpForWithAutoReadOff() {
    channel.config().setAutoRead(false);
    reads.count = 0;
    assertThat(holds.deferRead()).isFalse();
    holds.hold(Reason.ORDER);
    assertThat(holds.deferRead()).isTrue();
    assertThat(holds.deferRead()).isTrue();
    holds.release(Reason.ORDER);
    assertThat(reads.count).isEqualTo(1);
    assertThat(channel.config().isAutoRead()).isFalse();
    holds.hold(Reason.ORDER);
    holds.release(Reason.ORDER);
    assertThat(reads.count).as("once").isEqualTo(1);
  }

  @Test
  void noReadIsMadeUpWithoutOneHavingBeenAskedFor() {
    channel.config().setAutoRead(false);
    reads.count = 0;
    holds.hold(Reason.ORDER);
    holds.release(Reason.ORDER);
    assertThat(reads.count).isZero();
  }

  @Test
  void whatTheApplicationSetsDuringAHoldHoldsAfterIt() {
    holds.hold(Reason.ORDER);
    assertThat(holds.deferRead()).isTrue();
    holds.setAutoRead(false);
    reads.count = 0;
    holds.release(Reason.ORDER);
    assertThat(channel.config().isAutoRead()).isFalse();
    assertThat(reads.count).isZero();

    holds.hold(Reason.ORDER);
    holds.setAutoRead(true);
    assertThat(channel.config().isAutoRead()).isFalse();
    holds.release(Reason.ORDER);
    assertThat(channel.config().isAutoRead()).isTrue();
  }

  /** As proxies do whose other side is full for a moment, and Netty does with a listener. */
  @Test
  void whoTurnsAutoReadOffAndOnPastTheHoldsIsReadAfterThem() {
    channel
        .pipeline()
        .addLast(
            new ChannelOutboundHandlerAdapter() {
              @Override
              public void read(ChannelHandlerContext ctx) {
                if (!holds.deferRead()) {
                  ctx.read();
                }
              }
            });
    holds.hold(Reason.PRESSURE);
    reads.count = 0;
    channel.config().setAutoRead(false);
    channel.config().setAutoRead(true);
    assertThat(reads.count).isZero();
    holds.release(Reason.PRESSURE);
    assertThat(reads.count).isEqualTo(1);
    assertThat(channel.config().isAutoRead()).isTrue();
  }

  @Test
  void autoReadIsSetAtOnceWithoutAHold() {
    holds.setAutoRead(false);
    assertThat(channel.config().isAutoRead()).isFalse();
    holds.setAutoRead(true);
    assertThat(channel.config().isAutoRead()).isTrue();
  }

  /** The read that was put off is under way, and not done. */
  @Test
  void whoTurnsAutoReadOffAsTheChannelEndsForGoodIsNotRead() {
    channel.config().setAutoRead(false);
    holds.hold(Reason.ORDER);
    assertThat(holds.deferRead()).isTrue();
    holds.endForGood();
    holds.setAutoRead(false);
    reads.count = 0;
    channel.runPendingTasks();
    holds.release(Reason.ORDER);
    assertThat(reads.count).isZero();
  }

  /** The last release tries the read again that the end has brought: it may have failed. */
  @Test
  void autoReadThatIsTurnedOffAfterAnEndForGoodStaysOff() {
    holds.hold(Reason.ORDER);
    holds.endForGood();
    channel.runPendingTasks();
    assertThat(channel.config().isAutoRead()).isTrue();
    holds.setAutoRead(false);
    reads.count = 0;
    holds.release(Reason.ORDER);
    assertThat(channel.config().isAutoRead()).isFalse();
    assertThat(reads.count).isZero();
  }

  @Test
  void pressureDoesNotHoldAnExemptChannel() {
    holds.hold(Reason.PRESSURE);
    holds.exempt();
    assertThat(holds.held()).isFalse();
    assertThat(holds.hold(Reason.PRESSURE)).isFalse();
    assertThat(holds.hold(Reason.ORDER)).isTrue();
    holds.release(Reason.ORDER);
    holds.endExemption();
    assertThat(holds.hold(Reason.PRESSURE)).isTrue();
  }

  @Test
  void everyHandlerOfAChannelSeesTheSameHolds() {
    assertThat(ReadHolds.of(channel)).isSameAs(holds);
    assertThat(ReadHolds.of(new EmbeddedChannel())).isNotSameAs(holds);
  }
}
