package dev.weir.streams;

import dev.weir.cache.CacheSlice;
import dev.weir.cache.block.BlockCache;
import dev.weir.cache.block.BlockObject;
import dev.weir.cache.block.BlockReader;
import dev.weir.streams.layout.DamagedObjectException;
import dev.weir.streams.manifest.Location;
import dev.weir.streams.objects.ObjectStore;
import dev.weir.streams.objects.block.ObjectBlockSource;
import dev.weir.streams.segments.SegmentLayout;
import dev.weir.streams.segments.SegmentReader;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** A stretch of a stream that is open for reading. One thread at a time; methods block. */
interface ReadPart extends Closeable {
  /** Behind the last byte of the stretch, as an offset of the stream. */
  long endOffset();

  /** Reads at least one byte from an offset within the stretch, and not beyond its end. */
  void read(ByteBuffer target, long offset) throws IOException;

  /** What there is from an offset on, to be sent as it is; null where it has to be read. */
  default @Nullable FileStretch stretch(long offset, long maxBytes) throws IOException {
    return null;
  }

  /** Opens a file once more; null where it has been deleted meanwhile. */
  private static @Nullable FileStretch open(Disk disk, Path file, long position, long bytes)
      throws IOException {
    try {
      return new FileStretch(disk.openForTransfer(file), position, bytes);
    } catch (NoSuchFileException flushed) {
      return null;
    }
  }

  /** The part of {@code target} for what is left of a stretch. */
  private static ByteBuffer within(ByteBuffer target, long leftBytes) {
    return target.slice(target.position(), (int) Math.min(leftBytes, target.remaining()));
  }

  /** Bytes in the WAL or in a spool file. */
  record OfFile(
      Disk disk, Path path, DiskFile file, BytesPlace place, long startOffset, long endOffset)
      implements ReadPart {
    /** Whether the same file has other bytes. */
    boolean isIn(BytesPlace other) {
      return place.inSpool() == other.inSpool() && place.file() == other.file();
    }

    /** Another piece of the same file, which stays open. */
    OfFile at(UnflushedBytes.Piece piece, long end) {
      return new OfFile(
          disk, path, file, piece.place(), piece.startOffset(), Math.min(piece.endOffset(), end));
    }

    @Override
    public void read(ByteBuffer target, long offset) throws IOException {
      readFile(file, target, endOffset - offset, position(offset));
    }

    /** Only of a spool file: in the WAL, small pieces lie apart. */
    @Override
    public @Nullable FileStretch stretch(long offset, long maxBytes) throws IOException {
      return place.inSpool()
          ? ReadPart.open(disk, path, position(offset), Math.min(endOffset - offset, maxBytes))
          : null;
    }

    private long position(long offset) {
      return place.position() + offset - startOffset;
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }

  private static void readFile(DiskFile file, ByteBuffer target, long leftBytes, long position)
      throws IOException {
    ByteBuffer part = within(target, leftBytes);
    int read = file.read(part, position);
    if (read <= 0) {
      throw new EOFException(
          "a file ends at byte %d, before bytes of a stream".formatted(position));
    }
    target.position(target.position() + read);
  }

  /** Bytes of a segment that is a local file; verified before they are first served. */
  record OfSegmentFile(
      Disk disk,
      Path path,
      DiskFile file,
      SegmentReader reader,
      Location location,
      long startOffset)
      implements ReadPart {
    @Override
    public @Nullable FileStretch stretch(long offset, long maxBytes) throws IOException {
      long length = Math.min(endOffset() - offset, maxBytes);
      verify(position(offset), length);
      return ReadPart.open(disk, path, position(offset), length);
    }

    private void verify(long position, long length) throws IOException {
      reader.verify(
          position,
          length,
          (from, stride) -> {
            ByteBuffer bytes = stride.asByteBuffer();
            while (bytes.hasRemaining()) {
              if (file.read(bytes, from + bytes.position()) <= 0) {
                throw new DamagedObjectException(
                    reader.footer().id().key(), from + bytes.position(), "it ends too early");
              }
            }
          });
    }

    @Override
    public long endOffset() {
      return startOffset + location.lengthBytes();
    }

    /** Where the byte at an offset lies in the file. */
    long position(long offset) {
      return location.position() + offset - startOffset;
    }

    @Override
    public void read(ByteBuffer target, long offset) throws IOException {
      long left = endOffset() - offset;
      verify(position(offset), Math.min(left, target.remaining()));
      readFile(file, target, left, position(offset));
    }

    @Override
    public void close() throws IOException {
      location.segment().unpin();
      file.close();
    }
  }

  /** Bytes of a segment elsewhere, through the block cache. */
  final class OfObject implements ReadPart {
    private final ObjectStore store;
    private final SegmentReader reader;
    private final Location location;
    private final long startOffset;
    private final @Nullable BlockReader pages;

    OfObject(
        ObjectStore store,
        ObjectBlockSource source,
        @Nullable BlockCache blocks,
        SegmentReader reader,
        Location location,
        long startOffset) {
      this.store = store;
      this.reader = reader;
      this.location = location;
      this.startOffset = startOffset;
      BlockObject object =
          new BlockObject(source, reader.footer().id().key(), reader.footer().dataBytes());
      this.pages =
          blocks == null
              ? null
              : blocks.reader(object, endOfStride(location.position() + location.lengthBytes()));
    }

    @Override
    public long endOffset() {
      return startOffset + location.lengthBytes();
    }

    @Override
    public void read(ByteBuffer target, long offset) throws IOException {
      ByteBuffer part = within(target, endOffset() - offset);
      int wanted = part.remaining();
      long position = location.position() + offset - startOffset;
      BlockReader cached = pages;
      int read = cached == null ? readStrides(part, position) : readPage(cached, part, position);
      target.position(target.position() + Math.min(read, wanted));
    }

    private long endOfStride(long position) {
      long end = Math.ceilDiv(position, SegmentLayout.STRIDE_BYTES) * SegmentLayout.STRIDE_BYTES;
      return Math.min(reader.footer().dataBytes(), end);
    }

    /** Whole strides around the range, verified, on the Java heap. */
    private int readStrides(ByteBuffer part, long position) throws IOException {
      long first = position / SegmentLayout.STRIDE_BYTES * SegmentLayout.STRIDE_BYTES;
      long end = endOfStride(position + part.remaining());
      byte[] strides = new byte[Math.toIntExact(end - first)];
      reader.readVerified(first, MemorySegment.ofArray(strides));
      int bytes = part.remaining();
      part.put(strides, (int) (position - first), bytes);
      return bytes;
    }

    /**
     * What one page has of the range. A page that was fetched is compared with its checksums where
     * the process has not done so before.
     */
    private int readPage(BlockReader cached, ByteBuffer part, long position) throws IOException {
      long first = position / SegmentLayout.STRIDE_BYTES * SegmentLayout.STRIDE_BYTES;
      int skipped = (int) (position - first);
      long end = endOfStride(position + part.remaining());
      try (CacheSlice slice = await(cached, first, (int) (end - first))) {
        reader.check(first, slice.segment());
        int bytes = (int) Math.min(part.remaining(), slice.byteSize() - skipped);
        MemorySegment.copy(slice.segment(), skipped, MemorySegment.ofBuffer(part), 0, bytes);
        return bytes;
      }
    }

    private CacheSlice await(BlockReader cached, long position, int bytes) throws IOException {
      try {
        return cached.read(position, bytes).join();
      } catch (CompletionException e) {
        if (e.getCause() instanceof IOException failure) {
          throw failure;
        }
        throw new IOException(
            "%s: bytes from %d on could not be read: %s"
                .formatted(store.name(), position, e.getCause()),
            e.getCause());
      }
    }

    @Override
    public void close() {
      location.segment().unpin();
      BlockReader cached = pages;
      if (cached != null) {
        cached.close();
      }
    }
  }
}
