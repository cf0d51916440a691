package dev.weir.lab.recording;

import dev.weir.lab.trace.SlotNumbers;
import dev.weir.lab.trace.TracePhase;
import dev.weir.lab.trace.TraceSink;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes a trace of what Netty told of its direct buffers, in the order of time. Not thread-safe.
 *
 * <p>A buffer is known by its address. A growing buffer is told as a reallocation of the old
 * address and an allocation of the new one by the same thread. What else is allocated at an address
 * that is still live means that an end was missed: it ends just before. The trace is anonymous:
 * addresses become slots, and threads the order in which they appear.
 */
final class BufferHistory {
  /** Longer pauses are cut to this, which is the longest that a trace may have. */
  private static final long LONGEST_PAUSE_MICROS = 3_600_000_000L;

  private static final int NONE = -1;

  private final TraceSink sink;
  private final long mostEvents;
  private final SlotNumbers slots = new SlotNumbers();
  private final Map<Long, Integer> slotByAddress = new HashMap<>();
  private final Map<Long, Long> growingByThread = new HashMap<>();
  private final Map<Long, Integer> numberByThread = new HashMap<>();
  private int currentThread = NONE;
  private long events;
  private long lastMicros = Long.MIN_VALUE;
  private long unknownEnds;
  private long missedEnds;

  /**
   * An empty one.
   *
   * @param mostEvents after so many allocations, growths and releases, or one more, it {@linkplain
   *     #isFull is full}
   */
  BufferHistory(TraceSink sink, long mostEvents) {
    this.sink = sink;
    this.mostEvents = mostEvents;
  }

  /** Whether the trace is as long as it is to be; the caller tells nothing more then. */
  boolean isFull() {
    return events >= mostEvents;
  }

  /** Begins with the blocks that are older than the recording. */
  void begin(Collection<OlderBlocks.Block> older) throws IOException {
    if (!older.isEmpty()) {
      sink.phase(new TracePhase("older than the recording", TracePhase.Kind.OLDER));
      for (OlderBlocks.Block block : older) {
        int slot = slots.take();
        sink.allocate(slot, block.bytes());
        slotByAddress.put(block.address(), slot);
      }
    }
    sink.phase(new TracePhase("recorded", TracePhase.Kind.COUNTED));
  }

  /** A buffer of at least a byte got an address that is not 0. */
  void allocated(long micros, long thread, long address, int bytes) throws IOException {
    pass(micros, thread);
    Long old = growingByThread.remove(thread);
    @Nullable Integer growing = old == null ? null : slotByAddress.remove(old);
    @Nullable Integer missed = slotByAddress.remove(address);
    if (missed != null) {
      missedEnds++;
      sink.lost(1);
      release(missed);
    }
    events++;
    if (growing != null) {
      sink.grow(growing, bytes);
      slotByAddress.put(address, growing);
      return;
    }
    int slot = slots.take();
    sink.allocate(slot, bytes);
    slotByAddress.put(address, slot);
  }

  /** A buffer at this address is about to get another one. */
  void reallocated(long micros, long thread, long address) throws IOException {
    pass(micros, thread);
    growingByThread.put(thread, address);
  }

  /** The buffer at this address was freed. */
  void freed(long micros, long thread, long address) throws IOException {
    pass(micros, thread);
    @Nullable Integer slot = slotByAddress.remove(address);
    if (slot == null) {
      unknownEnds++;
    } else {
      release(slot);
    }
  }

  /** Flight Recorder dropped events here. */
  void dropped() throws IOException {
    sink.lost(1);
  }

  /** How many ends there were of buffers that nothing was told of. */
  long unknownEnds() {
    return unknownEnds;
  }

  /** How many ends were missed. */
  long missedEnds() {
    return missedEnds;
  }

  private void release(int slot) throws IOException {
    slots.tryGive(slot);
    events++;
    sink.release(slot);
  }

  private void pass(long micros, long thread) throws IOException {
    if (lastMicros != Long.MIN_VALUE && micros > lastMicros) {
      sink.pause(Math.min(micros - lastMicros, LONGEST_PAUSE_MICROS));
    }
    lastMicros = Math.max(lastMicros, micros);
    int number = numberByThread.computeIfAbsent(thread, ignored -> numberByThread.size());
    if (number != currentThread && !(currentThread == NONE && number == 0)) {
      sink.thread(number);
    }
    currentThread = number;
  }
}
