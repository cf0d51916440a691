package dev.weir.lab.trace.synthetic;

import dev.weir.lab.trace.TotalsSink;
import dev.weir.lab.trace.TraceSink;
import dev.weir.lab.trace.TraceSource;
import dev.weir.lab.trace.TraceTotals;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;

/**
 * A trace that consists of acts. It is played once beforehand, to add it up: that takes some
 * hundredths of a second for each million of events.
 */
final class ActsSource implements TraceSource {
  private final TraceTotals totals;
  private final Iterator<Act> acts;
  private final Blocks blocks = new Blocks(new TotalsSink());
  private Act current = Act.repeat(0, none -> {});

  /** Plays what {@code acts} makes, which must be the same each time. */
  ActsSource(Supplier<List<Act>> acts) throws IOException {
    this.totals = sum(acts.get());
    this.acts = acts.get().iterator();
  }

  private static TraceTotals sum(List<Act> acts) throws IOException {
    TotalsSink sums = new TotalsSink();
    Blocks blocks = new Blocks(sums);
    for (Act act : acts) {
      while (act.step(blocks)) {
        // Each step is all there is to do.
      }
    }
    return sums.totals();
  }

  @Override
  public TraceTotals totals() {
    return totals;
  }

  @Override
  public boolean step(TraceSink sink) throws IOException {
    blocks.sendTo(sink);
    while (!current.step(blocks)) {
      if (!acts.hasNext()) {
        return false;
      }
      current = acts.next();
    }
    return true;
  }

  @Override
  public void close() {}
}
