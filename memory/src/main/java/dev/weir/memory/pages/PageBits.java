package dev.weir.memory.pages;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A bit for every page of a region, kept only where bits are set: 4 KiB of bits at a time, so that
 * a region of terabytes costs what its used part needs. Ranges are {@code [from, from + count)} in
 * pages. Not thread-safe.
 */
final class PageBits {
  static final int CHUNK_WORDS = 512;
  static final int CHUNK_BITS = CHUNK_WORDS * Long.SIZE;
  private static final int CHUNK_SHIFT = Integer.numberOfTrailingZeros(CHUNK_BITS);

  private long[] @Nullable [] chunks = new long[4][];
  private int[] chunkCounts = new int[4];
  private long cardinality;

  /** How many bits are set. */
  long cardinality() {
    return cardinality;
  }

  /** Makes sure that setting a range needs nothing from the Java heap. */
  void makeRoom(long from, long count) {
    for (int chunk = chunkOf(from); chunk <= chunkOf(from + count - 1); chunk++) {
      wordsForWriting(chunk);
    }
  }

  /** Sets a range none of whose bits is set. */
  void set(long from, long count) {
    for (long page = from, end = from + count; page < end; ) {
      int chunk = chunkOf(page);
      long stop = Math.min(end, chunkEnd(chunk));
      fill(wordsForWriting(chunk), page, stop);
      adjust(chunk, (int) (stop - page));
      page = stop;
    }
  }

  /** Sets the bits of one chunk from {@code page} to {@code stop}, which lies behind it. */
  private static void fill(long[] words, long page, long stop) {
    int first = wordOf(page);
    int last = wordOf(stop - 1);
    if (first == last) {
      words[first] |= mask(page, stop);
    } else {
      words[first] |= -1L << page;
      Arrays.fill(words, first + 1, last, -1L);
      words[last] |= -1L >>> -stop;
    }
  }

  /** Clears a range and returns how many of its bits were set. */
  long clear(long from, long count) {
    long before = cardinality;
    for (long page = from, end = from + count; page < end; ) {
      int chunk = chunkOf(page);
      long[] words = words(chunk);
      long stop = Math.min(end, chunkEnd(chunk));
      if (words != null && chunkCounts[chunk] > 0) {
        adjust(chunk, -clear(words, page, stop));
      }
      page = stop;
    }
    return before - cardinality;
  }

  /** Clears bits of one chunk and returns how many were set. */
  private static int clear(long[] words, long page, long stop) {
    int first = wordOf(page);
    int last = wordOf(stop - 1);
    if (first == last) {
      return clear(words, first, mask(page, stop));
    }
    int sum = clear(words, first, -1L << page) + clear(words, last, -1L >>> -stop);
    for (int word = first + 1; word < last; word++) {
      sum += Long.bitCount(words[word]);
      words[word] = 0;
    }
    return sum;
  }

  private static int clear(long[] words, int word, long mask) {
    int set = Long.bitCount(words[word] & mask);
    words[word] &= ~mask;
    return set;
  }

  /** How many bits of the range are set. */
  long count(long from, long count) {
    long sum = 0;
    for (long page = from, end = from + count; page < end; ) {
      int chunk = chunkOf(page);
      long[] words = words(chunk);
      long stop = Math.min(end, chunkEnd(chunk));
      if (words != null && chunkCounts[chunk] > 0) {
        sum += bitCount(words, page, stop);
      }
      page = stop;
    }
    return sum;
  }

  /** How many bits of one chunk are set from {@code page} to {@code stop}, which lies behind it. */
  private static int bitCount(long[] words, long page, long stop) {
    int first = wordOf(page);
    int last = wordOf(stop - 1);
    if (first == last) {
      return Long.bitCount(words[first] & mask(page, stop));
    }
    int sum = Long.bitCount(words[first] & (-1L << page));
    for (int word = first + 1; word < last; word++) {
      sum += Long.bitCount(words[word]);
    }
    return sum + Long.bitCount(words[last] & (-1L >>> -stop));
  }

  boolean get(long page) {
    long[] words = words(chunkOf(page));
    return words != null && (words[wordOf(page)] & (1L << page)) != 0;
  }

  /** The highest set bit, or -1. */
  long last() {
    return lastBefore((long) chunks.length * CHUNK_BITS);
  }

  /** The highest set bit below a page, or -1. */
  long lastBefore(long page) {
    long end = Math.min(page, (long) chunks.length * CHUNK_BITS);
    while (end > 0) {
      int chunk = chunkOf(end - 1);
      long[] words = chunks[chunk];
      long chunkStart = (long) chunk * CHUNK_BITS;
      if (words != null && chunkCounts[chunk] > 0) {
        long bits = words[wordOf(end - 1)] & (-1L >>> -end);
        for (int word = wordOf(end - 1); ; bits = words[word]) {
          if (bits != 0) {
            return chunkStart + (word + 1L) * Long.SIZE - 1 - Long.numberOfLeadingZeros(bits);
          }
          if (--word < 0) {
            break;
          }
        }
      }
      end = chunkStart;
    }
    return -1;
  }

  /** The first set bit at or after {@code from} that is set in {@code other} too, or -1. */
  long nextSetIn(long from, PageBits other) {
    for (int chunk = chunkOf(from); chunk < chunks.length; chunk++) {
      long[] words = chunks[chunk];
      long[] others = other.words(chunk);
      if (words == null || others == null || chunkCounts[chunk] == 0) {
        continue;
      }
      long chunkStart = (long) chunk * CHUNK_BITS;
      for (int word = from > chunkStart ? wordOf(from) : 0; word < CHUNK_WORDS; word++) {
        long bits = words[word] & others[word];
        long wordStart = chunkStart + word * (long) Long.SIZE;
        if (from > wordStart) {
          bits &= -1L << from;
        }
        if (bits != 0) {
          return wordStart + Long.numberOfTrailingZeros(bits);
        }
      }
    }
    return -1;
  }

  /**
   * How many consecutive bits from {@code from} on are set here and in {@code other}, at most
   * {@code limit}.
   */
  long lengthIn(long from, long limit, PageBits other) {
    long page = from;
    while (page < from + limit) {
      long missing = ~(wordAt(page) & other.wordAt(page)) & (-1L << page);
      if (missing != 0) {
        page = (page & -Long.SIZE) + Long.numberOfTrailingZeros(missing);
        break;
      }
      page = wordEnd(page);
    }
    return Math.min(page - from, limit);
  }

  /** How many consecutive bits up to and including {@code page} are set, at most {@code limit}. */
  long lengthBackward(long page, long limit) {
    long at = page;
    while (at >= 0 && page - at < limit) {
      long missing = ~wordAt(at) & (-1L >>> -(at + 1));
      if (missing != 0) {
        at = (at | (Long.SIZE - 1)) - Long.numberOfLeadingZeros(missing);
        break;
      }
      at = (at & -Long.SIZE) - 1;
    }
    return Math.min(page - at, limit);
  }

  /** Copies the words of the chunk in which a page's bit is: {@link #CHUNK_WORDS} of them. */
  void copyChunk(long page, long[] target) {
    long[] words = words(chunkOf(page));
    if (words == null) {
      Arrays.fill(target, 0);
    } else {
      System.arraycopy(words, 0, target, 0, CHUNK_WORDS);
    }
  }

  /** Sets the bits of a range in the words of a chunk, as far as it lies there. */
  static void setInChunk(long[] words, long from, long to) {
    long end = Math.min(to, CHUNK_BITS);
    for (long page = Math.max(0, from); page < end; page = wordEnd(page)) {
      words[wordOf(page)] |= mask(page, Math.min(end, wordEnd(page)));
    }
  }

  /** The 64 bits among which a page's is. */
  private long wordAt(long page) {
    long[] words = words(chunkOf(page));
    return words == null ? 0 : words[wordOf(page)];
  }

  /**
   * Sets the bits that are set in {@code other} and clears all others. Needs nothing from the Java
   * heap where {@link #makeRoom} was told of the same ranges as there.
   */
  void copy(PageBits other) {
    for (int chunk = 0; chunk < Math.max(chunks.length, other.chunks.length); chunk++) {
      long[] source = other.words(chunk);
      int count = source == null ? 0 : other.chunkCounts[chunk];
      if (source != null && count > 0) {
        System.arraycopy(source, 0, wordsForWriting(chunk), 0, CHUNK_WORDS);
        adjust(chunk, count - chunkCounts[chunk]);
      } else if (chunk < chunks.length && chunkCounts[chunk] > 0) {
        Arrays.fill(wordsForWriting(chunk), 0);
        adjust(chunk, -chunkCounts[chunk]);
      }
    }
  }

  private void adjust(int chunk, int delta) {
    chunkCounts[chunk] += delta;
    cardinality += delta;
  }

  private long @Nullable [] words(int chunk) {
    return chunk < chunks.length ? chunks[chunk] : null;
  }

  private long[] wordsForWriting(int chunk) {
    if (chunk >= chunks.length) {
      int capacity = Math.max(chunk + 1, chunks.length * 2);
      long[] @Nullable [] longer = Arrays.copyOf(chunks, capacity);
      chunkCounts = Arrays.copyOf(chunkCounts, capacity);
      chunks = longer;
    }
    long[] words = chunks[chunk];
    if (words == null) {
      words = new long[CHUNK_WORDS];
      chunks[chunk] = words;
    }
    return words;
  }

  private static int chunkOf(long page) {
    return Math.toIntExact(page >>> CHUNK_SHIFT);
  }

  private static long chunkEnd(int chunk) {
    return (chunk + 1L) * CHUNK_BITS;
  }

  private static int wordOf(long page) {
    return (int) (page >>> 6) & (CHUNK_WORDS - 1);
  }

  private static long wordEnd(long page) {
    return (page | 63) + 1;
  }

  /** The bits of one word from {@code page} to {@code stop}, which lie in it. */
  private static long mask(long page, long stop) {
    long fromPage = -1L << page;
    long beforeStop = -1L >>> -stop;
    return fromPage & beforeStop;
  }
}
