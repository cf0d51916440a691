package dev.weir.benchmarks.crossthread;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A bounded queue from one thread to one other, without locks. Each side keeps the other's last
 * known position, and looks again only when that one does not suffice: on a queue that is neither
 * full nor empty, the two share no cache line but those of the elements.
 *
 * <p>{@code tail} is the producer's, {@code head} the consumer's; both only grow. A release of
 * either pairs with the other side's acquire, and so hands over the elements in between.
 */
final class HandOffQueue {
  private static final VarHandle POSITIONS = MethodHandles.arrayElementVarHandle(long[].class);

  /** A cache line, and the one that the processor fetches with it, in {@code long}s. */
  private static final int LINE = 16;

  private static final int HEAD = LINE;
  private static final int TAIL_SEEN = HEAD + 1;
  private static final int TAIL = 2 * LINE;
  private static final int HEAD_SEEN = TAIL + 1;

  private final @Nullable Object[] elements;
  private final int mask;
  private final long[] positions = new long[3 * LINE];

  /** A queue for {@code capacity} elements, a power of two. */
  HandOffQueue(int capacity) {
    elements = new Object[capacity];
    mask = capacity - 1;
  }

  /** Adds an element, unless the queue is full. For the producer. */
  boolean offer(Object element) {
    long tail = positions[TAIL];
    if (tail - positions[HEAD_SEEN] == elements.length) {
      positions[HEAD_SEEN] = (long) POSITIONS.getAcquire(positions, HEAD);
      if (tail - positions[HEAD_SEEN] == elements.length) {
        return false;
      }
    }
    elements[(int) tail & mask] = element;
    POSITIONS.setRelease(positions, TAIL, tail + 1);
    return true;
  }

  /** Takes the oldest element, or null if there is none. For the consumer. */
  @Nullable Object poll() {
    long head = positions[HEAD];
    if (head == positions[TAIL_SEEN]) {
      positions[TAIL_SEEN] = (long) POSITIONS.getAcquire(positions, TAIL);
      if (head == positions[TAIL_SEEN]) {
        return null;
      }
    }
    int index = (int) head & mask;
    Object element = elements[index];
    elements[index] = null;
    POSITIONS.setRelease(positions, HEAD, head + 1);
    return element;
  }

  /** Whether the consumer has taken everything. For the producer. */
  boolean isDrained() {
    return (long) POSITIONS.getAcquire(positions, HEAD) == positions[TAIL];
  }
}
