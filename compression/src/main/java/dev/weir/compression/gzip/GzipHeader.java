package dev.weir.compression.gzip;

import dev.weir.compression.codec.CorruptInputException;
import io.netty.buffer.ByteBuf;

/** Reads the header of a member (RFC 1952, section 2.3), in as many pieces as it comes in. */
final class GzipHeader {
  private static final int FIXED_BYTES = 10;
  private static final int FLAGS_AT = 3;
  private static final int CHECKSUM = 0x02;
  private static final int EXTRA = 0x04;
  private static final int NAME = 0x08;
  private static final int COMMENT = 0x10;
  private static final int RESERVED = 0xe0;
  private static final int[] BEGIN = {0x1f, 0x8b, 8};

  private enum Part {
    FIXED,
    EXTRA_LENGTH,
    EXTRA,
    NAME,
    COMMENT,
    CHECKSUM,
    END
  }

  private Part part = Part.FIXED;
  private int position;
  private int flags;
  private int extraBytes;

  /** Waits for the next header. */
  void reset() {
    part = Part.FIXED;
    position = 0;
  }

  /** Whether not a byte of it has come. */
  boolean isUntouched() {
    return part == Part.FIXED && position == 0;
  }

  /**
   * Reads as much of the header as there is.
   *
   * @return whether that is all of it
   * @throws CorruptInputException if it is none
   */
  boolean read(ByteBuf source) {
    while (part != Part.END && source.isReadable()) {
      take(source.readUnsignedByte());
    }
    return part == Part.END;
  }

  private void take(int value) {
    switch (part) {
      case FIXED -> {
        takeFixed(value);
        position++;
        if (position == FIXED_BYTES) {
          next(Part.EXTRA_LENGTH);
        }
      }
      case EXTRA_LENGTH -> {
        extraBytes |= value << (Byte.SIZE * position);
        position++;
        if (position == 2) {
          next(extraBytes > 0 ? Part.EXTRA : Part.NAME);
        }
      }
      case EXTRA -> {
        position++;
        if (position == extraBytes) {
          next(Part.NAME);
        }
      }
      case NAME -> {
        if (value == 0) {
          next(Part.COMMENT);
        }
      }
      case COMMENT -> {
        if (value == 0) {
          next(Part.CHECKSUM);
        }
      }
      case CHECKSUM -> {
        position++;
        if (position == 2) {
          next(Part.END);
        }
      }
      case END -> throw new IllegalStateException("the header has been read");
    }
  }

  private void takeFixed(int value) {
    if (position < BEGIN.length && value != BEGIN[position]) {
      throw new CorruptInputException("gzip: there is no member where one has to begin");
    }
    if (position == FLAGS_AT) {
      if ((value & RESERVED) != 0) {
        throw new CorruptInputException("gzip: a reserved flag is set");
      }
      flags = value;
    }
  }

  /** Goes on with a part, or with the first behind it that there is. */
  private void next(Part wanted) {
    position = 0;
    Part found = wanted;
    if (found == Part.EXTRA_LENGTH) {
      extraBytes = 0;
      found = (flags & EXTRA) != 0 ? found : Part.NAME;
    }
    if (found == Part.NAME && (flags & NAME) == 0) {
      found = Part.COMMENT;
    }
    if (found == Part.COMMENT && (flags & COMMENT) == 0) {
      found = Part.CHECKSUM;
    }
    if (found == Part.CHECKSUM && (flags & CHECKSUM) == 0) {
      found = Part.END;
    }
    part = found;
  }
}
