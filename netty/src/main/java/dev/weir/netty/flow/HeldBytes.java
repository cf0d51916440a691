package dev.weir.netty.flow;

import io.netty.channel.Channel;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ToLongFunction;

/**
 * What channels hold, as the application tells. Where it fails to, that counts as nothing: a wrong
 * order costs fairness, a failure that went on would cost channels that nobody resumes. Any thread.
 */
final class HeldBytes {
  private static final System.Logger LOG = System.getLogger(ReadGate.class.getName());

  private final ToLongFunction<? super Channel> function;
  private final AtomicBoolean hasFailed = new AtomicBoolean();

  HeldBytes(ToLongFunction<? super Channel> function) {
    this.function = function;
  }

  /** What the handler's channel holds; 0 if it has gone. */
  long of(ReadGateHandler handler) {
    Channel channel = handler.channel();
    if (channel == null) {
      return 0;
    }
    try {
      return function.applyAsLong(channel);
    } catch (Throwable failure) {
      if (!hasFailed.getAndSet(true)) {
        LOG.log(
            System.Logger.Level.WARNING,
            "what " + channel + " holds could not be told and counts as nothing; not logged again",
            failure);
      }
      return 0;
    }
  }

  /** What channels hold that hold anything, on average. */
  long average(Iterable<ReadGateHandler> handlers) {
    long sum = 0;
    long holders = 0;
    for (ReadGateHandler handler : handlers) {
      long bytes = of(handler);
      if (bytes > 0) {
        sum += bytes;
        holders++;
      }
    }
    return holders == 0 ? 0 : sum / holders;
  }

  /** The handlers by what their channels hold now, equal ones in the order they come in. */
  List<ReadGateHandler> mostFirst(Collection<ReadGateHandler> handlers) {
    List<ReadGateHandler> sorted = new ArrayList<>(handlers);
    Map<ReadGateHandler, Long> held = new HashMap<>();
    sorted.forEach(handler -> held.put(handler, of(handler)));
    sorted.sort(Comparator.comparing(held::get, Comparator.reverseOrder()));
    return sorted;
  }
}
