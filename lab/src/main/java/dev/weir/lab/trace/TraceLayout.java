package dev.weir.lab.trace;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * How a trace lies in a file: pure encoding and decoding. Numbers are little-endian.
 *
 * <pre>
 *   file     header, chunks, end
 *
 *   header   0   8   "WEIRTRAC"
 *            8   2   version: 2; of 1, what is new in 2 is left out
 *           10   2   state: 0 being written, 1 complete
 *           12   4   slots                      the most blocks live at once
 *           16   8   events
 *           24   8   allocations
 *           32   8   allocated bytes
 *           40   8   released bytes
 *           48   8   peak live bytes
 *           56   8   microseconds that pass
 *           64   4   threads                    new in 2, as what follows
 *           68   8   growths
 *           76   8   blocks older than the recording
 *           84   8   events lost
 *           92   4   CRC-32C of bytes 0 to 91; in version 1 at 64, of bytes 0 to 63
 *
 *   chunk    0   4   length of the payload, 1 to 65,536
 *            4   4   CRC-32C of the payload
 *            8   …   payload: whole events
 *
 *   end      8 zero bytes, then nothing
 *
 *   event    a number of 1 to 9 bytes, seven bits in each, lowest first, the top bit set in all but the last:
 *
 *            argument &lt;&lt; 3 | 0   RELEASE    argument: the slot
 *            argument &lt;&lt; 3 | 1   ALLOCATE   argument: bytes; the slot is the one released last that is free, or a new one
 *            argument &lt;&lt; 3 | 2   PAUSE      argument: microseconds that pass, at most an hour
 *            argument &lt;&lt; 3 | 3   PHASE      argument: length &lt;&lt; 2 | kind; so many bytes of UTF-8 follow
 *                                       kind: 0 counted, 1 warm-up, 2 drop, 3 older (new in 2); at most 4,096 of them
 *            argument &lt;&lt; 3 | 4   THREAD     argument: the thread of the events that follow, below 65,536; at first it is 0
 *            argument &lt;&lt; 3 | 5   GROW       argument: the slot; a number follows: the block's bytes from now on
 *            argument &lt;&lt; 3 | 6   LOST       argument: how many events are missing here
 *
 *            version 1 has two bits of kind, and the first four kinds
 * </pre>
 */
final class TraceLayout {
  static final int VERSION = 2;
  static final int OLD_VERSION = 1;
  static final int HEADER_BYTES = 96;
  static final int OLD_HEADER_BYTES = 68;

  /** What has to be read to know which of the two it is. */
  static final int VERSION_END = 10;

  static final int CHUNK_HEADER_BYTES = 8;
  static final int MAX_CHUNK_BYTES = 64 * 1024;

  /** An event with the longest number and the longest label. */
  static final int MAX_EVENT_BYTES = 9 + TracePhase.MAX_LABEL_BYTES;

  static final int MAX_THREADS = 1 << 16;

  /** An hour: longer than any replay is to wait. */
  static final long MAX_PAUSE_MICROS = 3_600_000_000L;

  /** Each has figures, and a mark in the chart. */
  static final int MAX_PHASES = 4_096;

  static final int RELEASE = 0;
  static final int ALLOCATE = 1;
  static final int PAUSE = 2;
  static final int PHASE = 3;
  static final int THREAD = 4;
  static final int GROW = 5;
  static final int LOST = 6;

  private static final long MAGIC = 0x4341_5254_5249_4557L; // "WEIRTRAC", lowest byte first
  private static final int CRC_BYTES = 4;
  private static final int KIND_BITS = 3;
  private static final int OLD_KIND_BITS = 2;
  private static final int NUMBER_BYTES = 9;

  private TraceLayout() {}

  /** What a header says. */
  record Header(int version, boolean complete, TraceTotals totals) {
    Header(boolean complete, TraceTotals totals) {
      this(VERSION, complete, totals);
    }

    int kindBits() {
      return version == OLD_VERSION ? OLD_KIND_BITS : KIND_BITS;
    }
  }

  static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  static ByteBuffer encodeHeader(Header header) {
    TraceTotals totals = header.totals();
    ByteBuffer bytes =
        buffer(HEADER_BYTES)
            .putLong(MAGIC)
            .putShort((short) VERSION)
            .putShort((short) (header.complete() ? 1 : 0))
            .putInt(totals.slots())
            .putLong(totals.events())
            .putLong(totals.allocations())
            .putLong(totals.allocatedBytes())
            .putLong(totals.releasedBytes())
            .putLong(totals.peakLiveBytes())
            .putLong(totals.pausedMicros())
            .putInt(totals.threads())
            .putLong(totals.growths())
            .putLong(totals.older())
            .putLong(totals.lost());
    return bytes.putInt(crc(bytes, HEADER_BYTES - CRC_BYTES)).flip();
  }

  /**
   * How long the header is that begins with these {@link #VERSION_END} bytes.
   *
   * @throws IllegalArgumentException if it is none; the message says why
   */
  static int headerBytes(ByteBuffer bytes) {
    return version(bytes) == OLD_VERSION ? OLD_HEADER_BYTES : HEADER_BYTES;
  }

  private static int version(ByteBuffer bytes) {
    if (bytes.getLong() != MAGIC) {
      throw new IllegalArgumentException("is no trace");
    }
    int version = Short.toUnsignedInt(bytes.getShort());
    if (version != VERSION && version != OLD_VERSION) {
      throw new IllegalArgumentException(
          "is a trace of version %d; this program reads versions %d and %d"
              .formatted(version, OLD_VERSION, VERSION));
    }
    return version;
  }

  /**
   * Reads a header of {@link #headerBytes} bytes.
   *
   * @throws IllegalArgumentException if it is none; the message says why
   */
  static Header decodeHeader(ByteBuffer bytes) {
    int version = version(bytes);
    boolean complete = bytes.getShort() == 1;
    int slots = bytes.getInt();
    TraceTotals totals =
        new TraceTotals(
            bytes.getLong(),
            bytes.getLong(),
            bytes.getLong(),
            bytes.getLong(),
            bytes.getLong(),
            slots,
            bytes.getLong(),
            version == OLD_VERSION ? 1 : bytes.getInt(),
            version == OLD_VERSION ? 0 : bytes.getLong(),
            version == OLD_VERSION ? 0 : bytes.getLong(),
            version == OLD_VERSION ? 0 : bytes.getLong());
    int crcAt = bytes.position();
    if (bytes.getInt() != crc(bytes, crcAt)) {
      throw new IllegalArgumentException("is a damaged trace: the checksum of its header is wrong");
    }
    return new Header(version, complete, totals);
  }

  /** Of the first {@code length} bytes, wherever the buffer stands. */
  static int crc(ByteBuffer bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.slice(0, length));
    return (int) crc.getValue();
  }

  /** The number of an event: its kind and its argument, which is below 2^60. */
  static long number(int kind, long argument) {
    return (argument << KIND_BITS) | kind;
  }

  static int kind(long number, int kindBits) {
    return (int) number & ((1 << kindBits) - 1);
  }

  static long argument(long number, int kindBits) {
    return number >>> kindBits;
  }

  static int code(TracePhase.Kind kind) {
    return switch (kind) {
      case COUNTED -> 0;
      case WARM_UP -> 1;
      case DROP -> 2;
      case OLDER -> 3;
    };
  }

  /** The kind of phase behind a code; null if there is none. */
  static TracePhase.@Nullable Kind phaseKind(int code) {
    return switch (code) {
      case 0 -> TracePhase.Kind.COUNTED;
      case 1 -> TracePhase.Kind.WARM_UP;
      case 2 -> TracePhase.Kind.DROP;
      case 3 -> TracePhase.Kind.OLDER;
      default -> null;
    };
  }

  /** Appends a number that is not negative. */
  static void putNumber(ByteBuffer bytes, long number) {
    long rest = number;
    while (rest > 0x7f) {
      bytes.put((byte) ((rest & 0x7f) | 0x80));
      rest >>>= 7;
    }
    bytes.put((byte) rest);
  }

  /** Takes a number, or returns -1 if the bytes end within it or it is too long. */
  static long takeNumber(ByteBuffer bytes) {
    long number = 0;
    for (int i = 0; i < NUMBER_BYTES && bytes.hasRemaining(); i++) {
      byte next = bytes.get();
      number |= (next & 0x7fL) << (7 * i);
      if (next >= 0) {
        return number;
      }
    }
    return -1;
  }
}
