package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.text.MessageFormat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** When a peer is slow, by a clock that the test moves. */
class SlowPeerTest {
  private static final int CHANNEL_BYTES = 1 << 20;
  private static final int MESSAGE_BYTES = 100 << 10;

  /** Between the gate and the transport, as a codec is that writes for its streams. */
  private final ChannelOutboundHandlerAdapter below = new ChannelOutboundHandlerAdapter();

  private WriteGate gate;
  private EmbeddedChannel channel;

  private void open(Duration slowTime) {
    gate =
        new WriteGate(
            WriteGateOptions.within(64 << 20)
                .withChannelBytes(CHANNEL_BYTES)
                .withSlowPeer(1 << 10, slowTime));
    channel = new EmbeddedChannel(below, gate.newHandler());
    channel.freezeTime();
  }

  private static ByteBuf message() {
    return Unpooled.buffer(MESSAGE_BYTES).writeZero(MESSAGE_BYTES);
  }

  @Test
  void aQueueThatHasGoneUnseenIsNotASlowPeers() {
    open(Duration.ofSeconds(30));
    ChannelHandlerContext unseen = channel.pipeline().context(below);
    while (channel.isWritable()) {
      unseen.write(message());
    }
    unseen.flush();
    assertThat(QueuedBytes.of(channel)).isZero();
    channel.advanceTimeBy(31, TimeUnit.SECONDS);
    channel.runScheduledPendingTasks();
    assertThat(channel.isActive()).isTrue();
    assertThat(gate.slowClosings()).isZero();
    assertThat(gate.queuedBytes()).isZero();

    // And the next that stays is watched again.
    channel.write(message());
    channel.advanceTimeBy(31, TimeUnit.SECONDS);
    channel.runScheduledPendingTasks();
    channel.runPendingTasks();
    assertThat(channel.isActive()).isFalse();
    assertThat(gate.slowClosings()).isEqualTo(1);
    channel.releaseOutbound();
  }

  @Test
  void operatorsAreToldOnceWhoWasClosedAndWhy() {
    Logger logger = Logger.getLogger(WriteGate.class.getName());
    List<LogRecord> records = new ArrayList<>();
    long queuedBytes;
    logger.setFilter(told -> !records.add(told));
    try {
      open(Duration.ofSeconds(30));
      channel.write(message());
      queuedBytes = QueuedBytes.of(channel);
      channel.advanceTimeBy(31, TimeUnit.SECONDS);
      channel.runScheduledPendingTasks();
      channel.runPendingTasks();
      channel.advanceTimeBy(31, TimeUnit.SECONDS);
      channel.runScheduledPendingTasks();
    } finally {
      logger.setFilter(null);
    }
    assertThat(channel.isActive()).isFalse();
    assertThat(records).extracting(LogRecord::getLevel).containsExactly(Level.WARNING);
    LogRecord told = records.getFirst();
    assertThat(MessageFormat.format(told.getMessage(), told.getParameters()))
        .startsWith("closing " + channel)
        .contains(" with " + queuedBytes + " bytes queued: ")
        .contains("PT30S");
    channel.releaseOutbound();
  }

  /**
   * Each on an event loop of its own, none of which has closed a channel before all have looked.
   */
  @Test
  void ofManyThatAreStuckAtOnceNoMoreAreClosedThanOthersWaitFor() {
    int totalBytes = 20 * MESSAGE_BYTES;
    gate =
        new WriteGate(
            new WriteGateOptions(totalBytes, totalBytes, totalBytes, Duration.ofSeconds(30)));
    List<EmbeddedChannel> peers = new ArrayList<>();
    while (!gate.isClosed()) {
      EmbeddedChannel peer = new EmbeddedChannel(gate.newHandler());
      peer.freezeTime();
      peer.write(message());
      peers.add(peer);
    }
    assertThat(peers).hasSize(15);
    for (EmbeddedChannel peer : peers) {
      peer.advanceTimeBy(31, TimeUnit.SECONDS);
      peer.runScheduledPendingTasks();
    }
    for (EmbeddedChannel peer : peers) {
      peer.runPendingTasks();
    }
    assertThat(gate.slowClosings()).isEqualTo(6);
    assertThat(peers).filteredOn(EmbeddedChannel::isActive).hasSize(9);
    assertThat(gate.isClosed()).isFalse();
    // Those that stay are no less stuck when others wait again.
    EmbeddedChannel large = new EmbeddedChannel(gate.newHandler());
    large.freezeTime();
    peers.add(large);
    while (!gate.isClosed()) {
      large.write(message());
    }
    for (EmbeddedChannel peer : peers) {
      peer.advanceTimeBy(31, TimeUnit.SECONDS);
      peer.runScheduledPendingTasks();
      peer.runPendingTasks();
    }
    assertThat(gate.isClosed()).isFalse();
    assertThat(gate.slowClosings()).isGreaterThan(6);
    for (EmbeddedChannel peer : peers) {
      peer.releaseOutbound();
      peer.close();
      peer.runPendingTasks();
    }
    assertThat(gate.queuedBytes()).isZero();
  }

  @Test
  void aTimeThatNoClockCanTellIsForEver() {
    open(Duration.ofSeconds(Long.MAX_VALUE));
    assertThat(channel.pipeline().get(WriteGateHandler.class)).isNotNull();
    channel.write(message());
    channel.advanceTimeBy(100 * 365, TimeUnit.DAYS);
    channel.runScheduledPendingTasks();
    channel.flush();
    assertThat(channel.isActive()).isTrue();
    assertThat(gate.slowClosings()).isZero();
    channel.releaseOutbound();
    channel.close();
    assertThat(gate.queuedBytes()).isZero();
  }
}
