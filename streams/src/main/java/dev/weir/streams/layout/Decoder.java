package dev.weir.streams.layout;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads what {@link Encoder} wrote. Every method throws {@link DamagedObjectException} where the
 * bytes end too early or make no sense. For one thread.
 */
public final class Decoder {
  private final String key;
  private final long baseOffset;
  private final ByteBuffer source;

  /**
   * Reads the remaining bytes of a buffer.
   *
   * @param key the object, for messages
   * @param baseOffset where in the object the buffer's byte 0 lies
   */
  public Decoder(String key, long baseOffset, ByteBuffer source) {
    this.key = key;
    this.baseOffset = baseOffset;
    this.source = source;
  }

  /** Bytes that are left. */
  public int remaining() {
    return source.remaining();
  }

  /** An error that names the place reached so far. */
  public DamagedObjectException damaged(String reason) {
    return new DamagedObjectException(key, baseOffset + source.position(), reason);
  }

  /** A byte, 0 to 255. */
  public int getByte() throws DamagedObjectException {
    need(1);
    return source.get() & 0xff;
  }

  /** A byte that is 0 or 1. */
  public boolean getBoolean() throws DamagedObjectException {
    int value = getByte();
    if (value > 1) {
      throw damaged("a flag is " + value);
    }
    return value == 1;
  }

  /** Four bytes. */
  public int getInt() throws DamagedObjectException {
    need(Integer.BYTES);
    return source.getInt();
  }

  /** Eight bytes. */
  public long getLong() throws DamagedObjectException {
    need(Long.BYTES);
    return source.getLong();
  }

  /** A number from 0 on. */
  public long getVarint() throws DamagedObjectException {
    long value = 0;
    for (int shift = 0; shift < 63; shift += 7) {
      int next = getByte();
      value |= (long) (next & 0x7f) << shift;
      if (next < 0x80) {
        return value;
      }
    }
    throw damaged("a number is too long");
  }

  /** A number from -1 on. */
  public long getVarintFromMinusOne() throws DamagedObjectException {
    return getVarint() - 1;
  }

  /** A varint that fits an {@code int}. */
  public int getVarint31() throws DamagedObjectException {
    long value = getVarint();
    if (value > Integer.MAX_VALUE) {
      throw damaged("a number is too large: " + value);
    }
    return (int) value;
  }

  /** How many of something follow, each of which takes at least one byte. */
  public int getCount() throws DamagedObjectException {
    int count = getVarint31();
    need(count);
    return count;
  }

  /** Sixteen bytes. */
  public UUID getUuid() throws DamagedObjectException {
    return new UUID(getLong(), getLong());
  }

  /** A string that must be there. */
  public String getString() throws DamagedObjectException {
    String value = getNullableString();
    if (value == null) {
      throw damaged("a string is missing");
    }
    return value;
  }

  /** A string, or null. */
  public @Nullable String getNullableString() throws DamagedObjectException {
    int length = getVarint31() - 1;
    if (length < 0) {
      return null;
    }
    need(length);
    byte[] utf8 = new byte[length];
    source.get(utf8);
    return new String(utf8, StandardCharsets.UTF_8);
  }

  /** Throws unless everything was read. */
  public void checkEnd() throws DamagedObjectException {
    if (source.hasRemaining()) {
      throw damaged(source.remaining() + " bytes too many");
    }
  }

  private void need(int bytes) throws DamagedObjectException {
    if (source.remaining() < bytes) {
      throw damaged("it ends too early");
    }
  }
}
