package dev.weir.lab.recording;

import dev.weir.lab.trace.SlotNumbers;
import dev.weir.lab.trace.TracePhase;
import dev.weir.lab.trace.TraceSink;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes a trace of what Netty told of its direct buffers, in the order of time. Not thread-safe.
 *
 * <p>A buffer is known by its address. A growing buffer is told as a reallocation of the old
 * address and an allocation of the new one by the same thread, and the old one's end is not told at
 * all: it ends here behind that allocation, when its content has been copied. What else is
 * allocated at an address that is still live means that an end was missed: it ends just before.
 */
final class BufferHistory {
  /** Time that passes between two events is kept from here on: less is not worth a timer. */
  private static final long SHORTEST_PAUSE_MICROS = 1_000;

  /** Longer pauses are cut to this: whatever has not been given back by then will not be. */
  private static final long LONGEST_PAUSE_MICROS = 2_000_000;

  private final TraceSink sink;
  private final long mostEvents;
  private final SlotNumbers slots = new SlotNumbers();
  private final Map<Long, Integer> slotByAddress = new HashMap<>();
  private final Map<Long, Long> growingByThread = new HashMap<>();
  private long events;
  private long lastMicros = Long.MIN_VALUE;
  private long unknownEnds;
  private long missedEnds;

  /**
   * An empty one.
   *
   * @param mostEvents after so many events, or one or two more, it {@linkplain #isFull is full}
   */
  BufferHistory(TraceSink sink, long mostEvents) {
    this.sink = sink;
    this.mostEvents = mostEvents;
  }

  /** Whether the trace is as long as it is to be; the caller tells nothing more then. */
  boolean isFull() {
    return events >= mostEvents;
  }

  /** Names the trace. */
  void begin(String label) throws IOException {
    events++;
    sink.phase(new TracePhase(label, TracePhase.Kind.COUNTED));
  }

  /** A buffer of at least a byte got an address that is not 0. */
  void allocated(long micros, long thread, long address, int bytes) throws IOException {
    pass(micros);
    Integer missed = slotByAddress.remove(address);
    if (missed != null) {
      missedEnds++;
      release(missed);
    }
    int slot = slots.take();
    events++;
    sink.allocate(slot, bytes);
    slotByAddress.put(address, slot);
    Long old = growingByThread.remove(thread);
    if (old != null) {
      end(old);
    }
  }

  /** A buffer at this address is about to get another one. */
  void reallocated(long micros, long thread, long address) throws IOException {
    pass(micros);
    growingByThread.put(thread, address);
  }

  /** The buffer at this address was freed. */
  void freed(long micros, long address) throws IOException {
    pass(micros);
    if (!end(address)) {
      unknownEnds++;
    }
  }

  /** How many ends there were of buffers that were older than the recording. */
  long unknownEnds() {
    return unknownEnds;
  }

  /** How many ends were missed. */
  long missedEnds() {
    return missedEnds;
  }

  private boolean end(long address) throws IOException {
    @Nullable Integer slot = slotByAddress.remove(address);
    if (slot == null) {
      return false;
    }
    release(slot);
    return true;
  }

  private void release(int slot) throws IOException {
    slots.tryGive(slot);
    events++;
    sink.release(slot);
  }

  private void pass(long micros) throws IOException {
    if (lastMicros != Long.MIN_VALUE && micros - lastMicros >= SHORTEST_PAUSE_MICROS) {
      events++;
      sink.pause(Math.min(micros - lastMicros, LONGEST_PAUSE_MICROS));
    }
    lastMicros = Math.max(lastMicros, micros);
  }
}
