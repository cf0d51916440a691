package dev.weir.streams;

import dev.weir.streams.layout.DamagedObjectException;
import dev.weir.streams.manifest.Manifests;
import dev.weir.streams.manifest.SegmentState;
import dev.weir.streams.segments.SegmentReader;
import dev.weir.streams.segments.SegmentReaders;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Verifies everything that is stored again, from time to time: a segment a step, between flushes.
 * What is damaged is logged, and not served from then on. For the storage thread.
 */
final class Scrub {
  private static final System.Logger LOG = System.getLogger(Scrub.class.getName());

  private final Manifests manifests;
  private final SegmentReaders readers;
  private final @Nullable Duration every;
  private final Deque<SegmentState> rest = new ArrayDeque<>();
  private long roundSinceNanos = System.nanoTime();
  private boolean inRound;
  private volatile long finishedNanos = System.nanoTime();
  private final LongAdder damages = new LongAdder();

  /** {@code every} is the time between the beginnings of two rounds; null: there are none. */
  Scrub(Manifests manifests, SegmentReaders readers, @Nullable Duration every) {
    this.manifests = manifests;
    this.readers = readers;
    this.every = every;
  }

  /** For how long everything has not been verified: since the last round, or the start. */
  long ageNanos() {
    return System.nanoTime() - finishedNanos;
  }

  /** Damaged segments that were found since the start; one may be found again. */
  long damages() {
    return damages.sum();
  }

  /**
   * Verifies a segment, if a round is due; blocks.
   *
   * @return false where there is nothing to do
   */
  boolean step() throws IOException {
    if (!inRound) {
      if (every == null || System.nanoTime() - roundSinceNanos < every.toNanos()) {
        return false;
      }
      roundSinceNanos = System.nanoTime();
      inRound = true;
      rest.addAll(manifests.segments().live());
    }
    SegmentState segment = rest.poll();
    if (segment == null) {
      inRound = false;
      finishedNanos = System.nanoTime();
      return false;
    }
    if (segment.tryPin()) {
      try {
        verify(segment);
      } finally {
        segment.unpin();
      }
    }
    return true;
  }

  private void verify(SegmentState segment) throws IOException {
    try {
      SegmentReader reader = readers.get(segment.entry().id());
      reader.verifyAgain(0, reader.footer().dataBytes());
    } catch (DamagedObjectException damage) {
      damages.increment();
      LOG.log(System.Logger.Level.ERROR, "the scrub found damage: {0}", damage.getMessage());
    }
  }
}
