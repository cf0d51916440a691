package dev.weir.streams.segments;

import dev.weir.streams.layout.DamagedObjectException;
import dev.weir.streams.objects.NoSuchObjectException;
import dev.weir.streams.objects.ObjectInfo;
import dev.weir.streams.objects.ObjectStore;
import dev.weir.streams.objects.Requests;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.BitSet;

/**
 * A segment that is read, and which of its strides are verified: those that were compared with
 * their checksums since the start, or that this process wrote.
 *
 * <p>Any number of threads. Two that verify the same stride at once both do the work.
 */
public final class SegmentReader {
  /** What is fetched from the end of a segment at once; footers are seldom larger. */
  private static final int TAIL_BYTES = 64 << 10;

  /** What is verified with one read. */
  private static final int VERIFY_BYTES = 1 << 20;

  private final ObjectStore store;
  private final SegmentFooter footer;
  private final BitSet verified;

  /** Reads bytes of a segment's data. */
  @FunctionalInterface
  public interface Source {
    /** Fills a target with what lies at a position; blocks. */
    void read(long position, MemorySegment target) throws IOException;
  }

  private SegmentReader(ObjectStore store, SegmentFooter footer) {
    this.store = store;
    this.footer = footer;
    this.verified = new BitSet(footer.strides());
  }

  /**
   * Reads the footer; blocks.
   *
   * @throws DamagedObjectException where the segment is missing, short, another one, or damaged
   */
  public static SegmentReader open(ObjectStore store, SegmentId id) throws IOException {
    return of(store, readFooter(store, id));
  }

  /** A reader with a footer that was read before; nothing is verified. */
  public static SegmentReader of(ObjectStore store, SegmentFooter footer) {
    return new SegmentReader(store, footer.withoutExtents());
  }

  /**
   * Reads the footer alone; blocks.
   *
   * @throws DamagedObjectException where the segment is missing, short, another one, or damaged
   */
  public static SegmentFooter readFooter(ObjectStore store, SegmentId id) throws IOException {
    String key = id.key();
    try {
      ObjectInfo info = Requests.await(store.head(key));
      return readFooter(store, id, info);
    } catch (NoSuchObjectException e) {
      DamagedObjectException missing = new DamagedObjectException(key, 0, "it is missing");
      missing.initCause(e);
      throw missing;
    }
  }

  private static SegmentFooter readFooter(ObjectStore store, SegmentId id, ObjectInfo info)
      throws IOException {
    long length = info.lengthBytes();
    ByteBuffer tail = read(store, info, Math.max(0, length - TAIL_BYTES), length);
    if (length < SegmentLayout.TRAILER_BYTES) {
      throw new DamagedObjectException(id.key(), length, "it ends too early");
    }
    ByteBuffer trailerBytes =
        tail.slice(tail.limit() - SegmentLayout.TRAILER_BYTES, SegmentLayout.TRAILER_BYTES);
    SegmentLayout.Trailer trailer = SegmentLayout.decodeTrailer(id, length, trailerBytes);
    int ends = trailer.footerBytes() + SegmentLayout.TRAILER_BYTES;
    ByteBuffer footer =
        ends <= tail.limit()
            ? tail.slice(tail.limit() - ends, trailer.footerBytes())
            : read(store, info, trailer.dataBytes(), trailer.dataBytes() + trailer.footerBytes());
    return SegmentLayout.decodeFooter(id, trailer, footer);
  }

  private static ByteBuffer read(ObjectStore store, ObjectInfo info, long from, long to)
      throws IOException {
    byte[] bytes = new byte[Math.toIntExact(to - from)];
    Requests.await(store.read(info.key(), info.etag(), from, MemorySegment.ofArray(bytes)));
    return ByteBuffer.wrap(bytes);
  }

  /** Takes everything for verified: this process wrote it. */
  public SegmentReader markWritten() {
    synchronized (verified) {
      verified.set(0, footer.strides());
    }
    return this;
  }

  /** What the segment says of its data, without its extents. */
  public SegmentFooter footer() {
    return footer;
  }

  /** Whether a range may be served without another look. */
  public boolean isVerified(long position, long lengthBytes) {
    int first = stride(position);
    int end = endStride(position, lengthBytes);
    synchronized (verified) {
      return verified.nextClearBit(first) >= end;
    }
  }

  /**
   * Compares the strides of a range that are not verified yet; blocks. A stride that fails stays
   * unverified.
   */
  public void verify(long position, long lengthBytes) throws IOException {
    verify(position, lengthBytes, /* again= */ false, VERIFY_BYTES, this::read);
  }

  /** As {@link #verify(long, long)}, of a segment that is at hand: one stride after another. */
  public void verify(long position, long lengthBytes, Source local) throws IOException {
    verify(position, lengthBytes, /* again= */ false, SegmentLayout.STRIDE_BYTES, local);
  }

  /** Compares all strides of a range, verified or not: what a scrub does. */
  public void verifyAgain(long position, long lengthBytes) throws IOException {
    verify(position, lengthBytes, /* again= */ true, VERIFY_BYTES, this::read);
  }

  private void verify(long position, long lengthBytes, boolean again, int pieceBytes, Source source)
      throws IOException {
    int end = endStride(position, lengthBytes);
    int stride = stride(position);
    byte[] buffer = null;
    while (true) {
      if (!again) {
        synchronized (verified) {
          stride = verified.nextClearBit(stride);
        }
      }
      if (stride >= end) {
        return;
      }
      long from = (long) stride * SegmentLayout.STRIDE_BYTES;
      long to =
          Math.min(
              Math.min(footer.dataBytes(), (long) end * SegmentLayout.STRIDE_BYTES),
              from + pieceBytes);
      if (buffer == null) {
        buffer = new byte[(int) (to - from)];
      }
      MemorySegment target =
          MemorySegment.ofArray(buffer).asSlice(0, Math.min(buffer.length, to - from));
      source.read(from, target);
      check(from, target);
      stride += Math.ceilDiv((int) target.byteSize(), SegmentLayout.STRIDE_BYTES);
    }
  }

  /**
   * Reads whole strides and verifies them; blocks.
   *
   * @param position a multiple of {@link SegmentLayout#STRIDE_BYTES}
   * @param target ends at the end of a stride
   */
  public void readVerified(long position, MemorySegment target) throws IOException {
    read(position, target);
    check(position, target);
  }

  private void read(long position, MemorySegment target) throws IOException {
    Requests.await(store.read(footer.id().key(), null, position, target));
  }

  /**
   * Compares bytes that somebody has read: a page of a cache, say.
   *
   * @param position a multiple of {@link SegmentLayout#STRIDE_BYTES}
   * @param bytes end at the end of a stride
   * @throws DamagedObjectException names the first stride that is wrong
   */
  public void check(long position, MemorySegment bytes) throws DamagedObjectException {
    int stride = stride(position);
    if ((long) stride * SegmentLayout.STRIDE_BYTES != position) {
      throw new IllegalArgumentException("no stride begins at " + position);
    }
    long from = 0;
    while (from < bytes.byteSize()) {
      int length = footer.strideBytes(stride);
      if (SegmentLayout.crc32c(bytes.asSlice(from, length).asByteBuffer())
          != footer.checksum(stride)) {
        synchronized (verified) {
          verified.clear(stride);
        }
        throw new DamagedObjectException(
            footer.id().key(),
            position + from,
            "the checksum of 64 KiB does not hold; restore the object from a copy");
      }
      synchronized (verified) {
        verified.set(stride);
      }
      from += length;
      stride++;
    }
  }

  private static int stride(long position) {
    return (int) (position / SegmentLayout.STRIDE_BYTES);
  }

  private int endStride(long position, long lengthBytes) {
    if (position < 0 || lengthBytes < 0 || position + lengthBytes > footer.dataBytes()) {
      throw new IllegalArgumentException(
          "no range of %d bytes: %d from %d on"
              .formatted(footer.dataBytes(), lengthBytes, position));
    }
    return (int) Math.ceilDiv(position + lengthBytes, SegmentLayout.STRIDE_BYTES);
  }
}
