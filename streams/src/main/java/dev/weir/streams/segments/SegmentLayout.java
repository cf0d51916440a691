package dev.weir.streams.segments;

import dev.weir.streams.layout.DamagedObjectException;
import dev.weir.streams.layout.Decoder;
import dev.weir.streams.layout.Encoder;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * How a segment looks.
 *
 * <pre>
 * 0          64 KiB     128 KiB      data bytes   + footer bytes   + 56
 * +----------+----------+-- ... -----+------------+----------------+
 * | stride 0 | stride 1 |  the last  | footer     | trailer        |
 * +----------+----------+-- ... -----+------------+----------------+
 *
 * footer    crc32c of each stride (4 bytes each) | number of extents | extents
 * extent    stream id less the one before | offset in the stream | length      varints
 *
 * trailer   0            8              16     20        24      32         40           44        48
 *           +------------+--------------+------+---------+-------+----------+------------+---------+-------+
 *           | data bytes | footer bytes | node | version | epoch | sequence | footer crc | own crc | magic |
 *           +------------+--------------+------+---------+-------+----------+------------+---------+-------+
 * </pre>
 *
 * Numbers are big-endian. Extents are sorted by stream, then by offset. Each begins in the data
 * where the one before ends, so the layout says no positions. The trailer's own checksum covers its
 * first 44 bytes. Data begins at byte 0, so that strides lie on pages of files and of caches.
 */
public final class SegmentLayout {
  /** The unit of checksums. */
  public static final int STRIDE_BYTES = 64 << 10;

  /** Positions fit 32 bits. */
  public static final long MAX_DATA_BYTES = (1L << 32) - STRIDE_BYTES;

  static final int TRAILER_BYTES = 56;

  private static final int VERSION = 1;
  private static final long MAGIC = 0x57_45_49_52_53_45_47_31L; // WEIRSEG1

  private SegmentLayout() {}

  /** The footer and the trailer of a segment. */
  static byte[] encode(SegmentFooter footer) {
    Encoder out = new Encoder();
    for (int stride = 0; stride < footer.strides(); stride++) {
      out.putInt(footer.checksum(stride));
    }
    out.putVarint(footer.extents().size());
    long streamId = 0;
    for (Extent extent : footer.extents()) {
      out.putVarint(extent.streamId() - streamId);
      out.putVarint(extent.startOffset()).putVarint(extent.lengthBytes());
      streamId = extent.streamId();
    }
    int footerBytes = out.size();
    int footerCrc = crc32c(ByteBuffer.wrap(out.toBytes()));
    SegmentId id = footer.id();
    Encoder trailer =
        new Encoder()
            .putLong(footer.dataBytes())
            .putLong(footerBytes)
            .putInt(id.node())
            .putInt(VERSION)
            .putLong(id.epoch())
            .putLong(id.sequence())
            .putInt(footerCrc);
    int trailerCrc = crc32c(ByteBuffer.wrap(trailer.toBytes()));
    trailer.putInt(trailerCrc).putLong(MAGIC);
    return out.putBytes(trailer.toBytes()).toBytes();
  }

  /** How long a segment's trailer says that its parts are. */
  record Trailer(long dataBytes, int footerBytes, int footerCrc) {}

  /**
   * Reads a trailer.
   *
   * @param objectBytes the length of the whole object
   */
  static Trailer decodeTrailer(SegmentId id, long objectBytes, ByteBuffer trailer)
      throws DamagedObjectException {
    long start = objectBytes - TRAILER_BYTES;
    if (start < 0) {
      throw new DamagedObjectException(id.key(), objectBytes, "it ends too early");
    }
    int ownCrc = crc32c(trailer.slice(trailer.position(), 44));
    Decoder in = new Decoder(id.key(), start, trailer.slice());
    long dataBytes = in.getLong();
    long footerBytes = in.getLong();
    int node = in.getInt();
    int version = in.getInt();
    SegmentId found = new SegmentId(node, in.getLong(), in.getLong());
    int footerCrc = in.getInt();
    if (in.getInt() != ownCrc || in.getLong() != MAGIC) {
      throw new DamagedObjectException(id.key(), start, "it does not end as a segment does");
    }
    if (version != VERSION) {
      throw new DamagedObjectException(
          id.key(),
          start + 20,
          "it has version %d; this node reads %d".formatted(version, VERSION));
    }
    if (!found.equals(id)) {
      throw new DamagedObjectException(id.key(), start, "it is another one, " + found);
    }
    if (dataBytes < 0 || footerBytes < 0 || dataBytes + footerBytes != start) {
      throw new DamagedObjectException(
          id.key(), start, "it should have %d bytes of data".formatted(dataBytes));
    }
    return new Trailer(dataBytes, Math.toIntExact(footerBytes), footerCrc);
  }

  /** Reads the footer that a trailer speaks of. */
  static SegmentFooter decodeFooter(SegmentId id, Trailer trailer, ByteBuffer footer)
      throws DamagedObjectException {
    long dataBytes = trailer.dataBytes();
    if (crc32c(footer.duplicate()) != trailer.footerCrc()) {
      throw new DamagedObjectException(id.key(), dataBytes, "its footer's checksum does not hold");
    }
    Decoder in = new Decoder(id.key(), dataBytes, footer.slice());
    int[] checksums = new int[Math.toIntExact(Math.ceilDiv(dataBytes, STRIDE_BYTES))];
    for (int stride = 0; stride < checksums.length; stride++) {
      checksums[stride] = in.getInt();
    }
    int count = in.getCount();
    List<Extent> extents = new ArrayList<>(count);
    long streamId = 0;
    long position = 0;
    for (int i = 0; i < count; i++) {
      streamId += in.getVarint();
      Extent extent = new Extent(streamId, in.getVarint(), position, in.getVarint());
      position += extent.lengthBytes();
      extents.add(extent);
    }
    in.checkEnd();
    if (position != dataBytes) {
      throw in.damaged("its extents do not cover its data");
    }
    return new SegmentFooter(id, dataBytes, checksums, extents);
  }

  static int crc32c(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return (int) crc.getValue();
  }
}
