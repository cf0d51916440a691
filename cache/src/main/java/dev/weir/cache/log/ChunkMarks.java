package dev.weir.cache.log;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What a log cache knows of each chunk, by the chunk's number. Under the cache's lock. */
final class ChunkMarks {
  /** Of one chunk. */
  static final class Mark {
    /** No live batch has a smaller one. */
    long minSequence = Long.MAX_VALUE;

    /** No live batch has a larger one. */
    long maxSequence = Long.MIN_VALUE;

    /** Bytes of live batches that have not been flushed. */
    long unflushedBytes;

    void add(long sequence) {
      minSequence = Math.min(minSequence, sequence);
      maxSequence = Math.max(maxSequence, sequence);
    }
  }

  private @Nullable Mark[] marks = new Mark[16];
  private int end;

  int end() {
    return end;
  }

  @Nullable Mark get(int chunk) {
    return marks[chunk];
  }

  Mark of(int chunk) {
    if (chunk >= marks.length) {
      marks = Arrays.copyOf(marks, Math.max(chunk + 1, marks.length * 2));
    }
    Mark mark = marks[chunk];
    if (mark == null) {
      mark = new Mark();
      marks[chunk] = mark;
      end = Math.max(end, chunk + 1);
    }
    return mark;
  }

  void remove(int chunk) {
    marks[chunk] = null;
    while (end > 0 && marks[end - 1] == null) {
      end--;
    }
  }

  /** The chunk whose latest batch is the oldest of all, if all in it is flushed; -1 if none is. */
  int oldestFlushed() {
    int oldest = -1;
    long sequence = Long.MAX_VALUE;
    for (int i = 0; i < end; i++) {
      Mark mark = marks[i];
      if (mark != null && mark.unflushedBytes == 0 && mark.maxSequence < sequence) {
        oldest = i;
        sequence = mark.maxSequence;
      }
    }
    return oldest;
  }
}
