package dev.weir.micrometer;

import dev.weir.netty.flow.ReadGate;
import dev.weir.netty.write.WriteGate;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The meters of one gate of the module {@code dev.weir.netty}, which a program on the module path
 * requires itself. Thread-safe.
 *
 * <pre>
 *   weir.read.gate.paused       channels  that wait for the gate to open now
 *   weir.read.gate.pauses       pauses    counter: channels stopped
 *   weir.read.gate.closings     closings  counter: of the gate
 *   weir.read.gate.timeouts     timeouts  counter: relief did not come in time, and one channel was let read
 *   weir.write.gate.paused      channels  unwritable now because the gate is closed
 *   weir.write.gate.pauses      pauses    counter: channels that became unwritable by it
 *   weir.write.gate.queued      bytes     queued to be sent by all channels
 *   weir.write.gate.refusals    writes    counter: refused, with their channels closed
 *   weir.write.gate.closings    channels  counter: closed, {@code reason=slow} peer or {@code reason=broken} stream
 * </pre>
 *
 * <p>All have the tag {@code gate}. The registry does not keep the gate alive: when that has been
 * collected, its gauges read as NaN, and its counters stay at their last value. {@link #close}
 * takes the meters away.
 */
public final class GateMetrics implements MeterBinder, AutoCloseable {
  private final List<Kind> kinds;
  private final Tags tags;
  private final BoundMeters bound = new BoundMeters();

  /** A meter to be made. */
  @FunctionalInterface
  private interface Kind {
    Meter register(MeterRegistry registry, Tags tags);
  }

  /**
   * The meters of a read gate.
   *
   * @param name tells this gate from others of the registry
   */
  @SuppressWarnings("exports") // whoever has a gate requires its module
  public GateMetrics(ReadGate gate, String name) {
    this(
        name,
        List.of(
            gauge(
                "weir.read.gate.paused",
                "Channels that the read gate keeps from reading",
                "channels",
                gate,
                ReadGate::pausedChannels),
            counter(
                "weir.read.gate.pauses",
                "Times that the read gate has stopped a channel",
                "pauses",
                gate,
                ReadGate::pauses),
            counter(
                "weir.read.gate.closings",
                "Times that the read gate has closed",
                "closings",
                gate,
                ReadGate::closings),
            counter(
                "weir.read.gate.timeouts",
                "Times that the read gate let one channel read because relief did not come",
                "timeouts",
                gate,
                ReadGate::turns)));
  }

  /**
   * The meters of a write gate.
   *
   * @param name tells this gate from others of the registry
   */
  @SuppressWarnings("exports") // whoever has a gate requires its module
  public GateMetrics(WriteGate gate, String name) {
    this(
        name,
        List.of(
            gauge(
                "weir.write.gate.paused",
                "Channels that are unwritable because the write gate is closed",
                "channels",
                gate,
                WriteGate::pausedChannels),
            counter(
                "weir.write.gate.pauses",
                "Times that a channel became unwritable because the write gate was closed",
                "pauses",
                gate,
                WriteGate::pauses),
            gauge(
                "weir.write.gate.queued",
                "Bytes that the channels of the write gate have queued to be sent",
                BaseUnits.BYTES,
                gate,
                WriteGate::queuedBytes),
            counter(
                "weir.write.gate.refusals",
                "Writes that the write gate has refused, closing their channels",
                "writes",
                gate,
                WriteGate::refusals),
            closings(gate, "slow", WriteGate::slowClosings),
            closings(gate, "broken", WriteGate::brokenClosings)));
  }

  private GateMetrics(String name, List<Kind> kinds) {
    this.kinds = kinds;
    this.tags = Tags.of("gate", name);
  }

  private static Kind closings(WriteGate gate, String reason, ToDoubleFunction<WriteGate> value) {
    return (registry, tags) ->
        counter(
                "weir.write.gate.closings",
                "Channels that the write gate has closed, by reason",
                "channels",
                gate,
                value)
            .register(registry, tags.and("reason", reason));
  }

  private static <G> Kind gauge(
      String name, String description, String unit, G gate, ToDoubleFunction<G> value) {
    return (registry, tags) ->
        Gauge.builder(name, gate, value)
            .description(description)
            .baseUnit(unit)
            .tags(tags)
            .register(registry);
  }

  private static <G> Kind counter(
      String name, String description, String unit, G gate, ToDoubleFunction<G> value) {
    return (registry, tags) ->
        FunctionCounter.builder(name, gate, value)
            .description(description)
            .baseUnit(unit)
            .tags(tags)
            .register(registry);
  }

  /** Adds the meters to a registry, except those that it has already. */
  @Override
  public void bindTo(MeterRegistry registry) {
    bound.add(registry, to -> kinds.stream().map(kind -> kind.register(to, tags)).toList());
  }

  /** Takes the meters that this object has added away again, from every registry. */
  @Override
  public void close() {
    bound.removeAll();
  }
}
