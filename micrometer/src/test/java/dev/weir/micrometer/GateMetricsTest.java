package dev.weir.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Block;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.pressure.Registration;
import dev.weir.netty.flow.Headroom;
import dev.weir.netty.flow.ReadGate;
import dev.weir.netty.write.WriteGate;
import dev.weir.netty.write.WriteGateOptions;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class GateMetricsTest {
  private static final int MESSAGE_BYTES = 32 << 10;

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final ShortMemory memory = new ShortMemory();
  private final ReadGate reads = new ReadGate(memory);
  private final WriteGate writes =
      new WriteGate(
          new WriteGateOptions(2 * MESSAGE_BYTES, 1 << 20, MESSAGE_BYTES, Duration.ofSeconds(30)));

  /** Memory that is short from the start. */
  private static final class ShortMemory implements Headroom {
    private final List<CompletableFuture<Boolean>> waits = new ArrayList<>();
    private boolean isShort = true;

    @Override
    public boolean isShort() {
      return isShort;
    }

    @Override
    public CompletableFuture<Boolean> relief() {
      waits.add(new CompletableFuture<>());
      return waits.getLast();
    }
  }

  @Test
  void aReadGateShowsWhomItStops() {
    new GateMetrics(reads, "inbound").bindTo(registry);
    List<EmbeddedChannel> channels = List.of(channel(), channel(), channel());
    channels.forEach(channel -> channel.writeInbound("message"));
    assertThat(gauge("weir.read.gate.paused")).isEqualTo(3);
    assertThat(counter("weir.read.gate.pauses")).isEqualTo(3);
    assertThat(counter("weir.read.gate.closings")).isOne();
    assertThat(counter("weir.read.gate.timeouts")).isZero();

    memory.waits.getFirst().complete(false);
    assertThat(gauge("weir.read.gate.paused")).isEqualTo(2);
    assertThat(counter("weir.read.gate.timeouts")).isOne();

    memory.isShort = false;
    memory.waits.getLast().complete(true);
    assertThat(gauge("weir.read.gate.paused")).isZero();
    assertThat(counter("weir.read.gate.pauses")).isEqualTo(3);
    channels.forEach(EmbeddedChannel::finishAndReleaseAll);
  }

  private EmbeddedChannel channel() {
    return new EmbeddedChannel(reads.newHandler());
  }

  @Test
  void aWriteGateShowsWhomItStopsAndWhatItRefuses() {
    Pool pool = Pool.create(PoolOptions.withLimit(8 << 20).withName("sent"));
    Budget sent = pool.rootBudget().child("sent", 1 << 20);
    new GateMetrics(writes, "outbound").bindTo(registry);
    EmbeddedChannel channel = new EmbeddedChannel(writes.newHandler());
    queue(channel);
    assertThat(gauge("weir.write.gate.queued")).isGreaterThanOrEqualTo(MESSAGE_BYTES);
    assertThat(gauge("weir.write.gate.paused")).isZero();

    Registration followed = writes.follow(sent);
    Block block = pool.allocate(1 << 20, sent);
    spinUntil(writes::isClosed);
    queue(channel);
    assertThat(channel.isWritable()).isFalse();
    assertThat(gauge("weir.write.gate.paused")).isOne();
    assertThat(counter("weir.write.gate.pauses")).isOne();
    block.release();
    spinUntil(() -> {
      channel.runPendingTasks();
      return writes.pausedChannels() == 0;
    });
    assertThat(gauge("weir.write.gate.paused")).isZero();
    followed.close();

    queue(channel);
    assertThat(counter("weir.write.gate.refusals")).isOne();
    assertThat(counter("weir.write.gate.pauses")).isOne();
    channel.finishAndReleaseAll();
    assertThat(gauge("weir.write.gate.queued")).isZero();
    pool.close();
  }

  @Test
  void aChannelThatGoesWhileItIsStoppedIsNotCountedOn() {
    Pool pool = Pool.create(PoolOptions.withLimit(8 << 20).withName("sent"));
    Budget sent = pool.rootBudget().child("sent", 1 << 20);
    Block block = pool.allocate(1 << 20, sent);
    new GateMetrics(writes, "outbound").bindTo(registry);
    EmbeddedChannel channel = new EmbeddedChannel(writes.newHandler());
    Registration followed = writes.follow(sent);
    spinUntil(writes::isClosed);
    queue(channel);
    assertThat(gauge("weir.write.gate.paused")).isOne();
    channel.finishAndReleaseAll();
    assertThat(gauge("weir.write.gate.paused")).isZero();
    followed.close();
    block.release();
    pool.close();
  }

  @Test
  void aPeerThatIsSlowIsCountedByItsReason() {
    new GateMetrics(writes, "outbound").bindTo(registry);
    EmbeddedChannel channel = new EmbeddedChannel(writes.newHandler());
    channel.freezeTime();
    queue(channel);
    queue(channel);
    channel.advanceTimeBy(31, TimeUnit.SECONDS);
    channel.runScheduledPendingTasks();
    channel.runPendingTasks();
    assertThat(closings("slow")).isOne();
    assertThat(closings("broken")).isZero();
    channel.finishAndReleaseAll();
  }

  @Test
  void namesTagsAndTextsFollowTheConventions() {
    GateMetrics inbound = new GateMetrics(reads, "gate");
    GateMetrics outbound = new GateMetrics(writes, "gate");
    inbound.bindTo(registry);
    outbound.bindTo(registry);
    assertThat(registry.getMeters())
        .hasSize(10)
        .extracting(Meter::getId)
        .allSatisfy(id -> {
          assertThat(id.getName()).matches("weir\\.(read|write)\\.gate\\.[a-z]+");
          assertThat(id.getTag("gate")).isEqualTo("gate");
          assertThat(id.getBaseUnit()).isNotNull();
          String gate = id.getName().startsWith("weir.read") ? "read gate" : "write gate";
          assertThat(id.getDescription())
              .as("a sentence about the gate")
              .matches("[A-Z].*\\b" + gate + "\\b.*");
        });

    inbound.close();
    outbound.close();
    assertThat(registry.getMeters()).isEmpty();
  }

  /** Pressure is told on a thread of its own; ends with the test's timeout at the latest. */
  private static void spinUntil(BooleanSupplier condition) {
    while (!condition.getAsBoolean() && !Thread.currentThread().isInterrupted()) {
      Thread.onSpinWait();
    }
  }

  private static void queue(EmbeddedChannel channel) {
    channel.write(Unpooled.buffer(MESSAGE_BYTES).writeZero(MESSAGE_BYTES));
  }

  private double gauge(String name) {
    return registry.get(name).gauge().value();
  }

  private double counter(String name) {
    return registry.get(name).functionCounter().count();
  }

  private double closings(String reason) {
    return registry.get("weir.write.gate.closings").tag("reason", reason).functionCounter().count();
  }
}
