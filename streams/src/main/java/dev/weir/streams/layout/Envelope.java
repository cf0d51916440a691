package dev.weir.streams.layout;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * What is around the body of a small object: a commit, a manifest, the owner.
 *
 * <pre>
 * 0        8         12       16           16 + length
 * +--------+---------+--------+------------+--------+
 * | magic  | version | length | body       | crc32c |   big-endian
 * +--------+---------+--------+------------+--------+
 * </pre>
 *
 * The checksum covers everything in front of it. The magic is eight characters of ASCII.
 *
 * @param magic what kind of object it is
 * @param version of the body's layout
 */
public record Envelope(String magic, int version) {
  /** What the envelope adds to a body. */
  public static final int OVERHEAD_BYTES = 20;

  private static final int HEADER_BYTES = 16;

  /** Checks the magic's length. */
  public Envelope {
    if (magic.getBytes(StandardCharsets.US_ASCII).length != Long.BYTES) {
      throw new IllegalArgumentException("a magic has eight characters: " + magic);
    }
  }

  /** The whole object around a body. */
  public byte[] seal(Encoder body) {
    ByteBuffer whole = ByteBuffer.allocate(Math.addExact(OVERHEAD_BYTES, body.size()));
    whole.put(magic.getBytes(StandardCharsets.US_ASCII)).putInt(version).putInt(body.size());
    whole.put(body.toBytes());
    whole.putInt(crc32c(whole.array(), whole.position()));
    return whole.array();
  }

  /**
   * The body of an object.
   *
   * @throws DamagedObjectException also for another kind of object, or another version
   */
  public Decoder open(String key, byte[] whole) throws DamagedObjectException {
    if (whole.length < OVERHEAD_BYTES) {
      throw new DamagedObjectException(key, whole.length, "it ends too early");
    }
    ByteBuffer source = ByteBuffer.wrap(whole);
    int covered = whole.length - Integer.BYTES;
    byte[] found = new byte[Long.BYTES];
    source.get(found);
    if (!new String(found, StandardCharsets.US_ASCII).equals(magic)) {
      throw new DamagedObjectException(key, 0, "it does not begin with " + magic);
    }
    if (source.getInt(covered) != crc32c(whole, covered)) {
      throw new DamagedObjectException(key, 0, "its checksum does not hold");
    }
    int foundVersion = source.getInt();
    if (foundVersion != version) {
      throw new DamagedObjectException(
          key, 8, "it has version %d; this node reads %d".formatted(foundVersion, version));
    }
    int length = source.getInt();
    if (length != covered - HEADER_BYTES) {
      throw new DamagedObjectException(key, 12, "its length is not " + length);
    }
    return new Decoder(key, 0, source.limit(covered));
  }

  private static int crc32c(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }
}
