package dev.weir.lab.load;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

/**
 * The bytes of an upload or a download, made from one block of random bytes, so that a hundred
 * bodies cost no more memory than one. Immutable and thread-safe.
 */
public final class RandomBody {
  /** Prime, so that repetitions fall on every alignment. */
  private static final int BLOCK_BYTES = 1_048_573;

  private final ByteBuffer block;
  private final long lengthBytes;
  private final long checksum;

  /** A body of {@code lengthBytes} that {@code seed} determines. */
  public RandomBody(long seed, long lengthBytes) {
    byte[] random = new byte[BLOCK_BYTES];
    new SplittableRandom(seed).nextBytes(random);
    this(ByteBuffer.allocateDirect(BLOCK_BYTES).put(random).flip(), lengthBytes);
  }

  private RandomBody(ByteBuffer block, long lengthBytes) {
    this.block = block;
    this.lengthBytes = lengthBytes;
    CRC32C crc = new CRC32C();
    for (long at = 0; at < lengthBytes; ) {
      ByteBuffer part = slice(at, BLOCK_BYTES);
      at += part.remaining();
      crc.update(part);
    }
    this.checksum = crc.getValue();
  }

  /** A body of another length that begins as this one does, with the same block behind it. */
  public RandomBody withLength(long otherBytes) {
    return new RandomBody(block, otherBytes);
  }

  /** The length in bytes. */
  public long lengthBytes() {
    return lengthBytes;
  }

  /** The CRC-32C of the whole body. */
  public long checksum() {
    return checksum;
  }

  /** At most {@code maximumBytes} from {@code position} on; at least one unless it is the end. */
  public ByteBuffer slice(long position, int maximumBytes) {
    int from = (int) (position % BLOCK_BYTES);
    long rest = Math.min(lengthBytes - position, BLOCK_BYTES - from);
    return block.slice(from, (int) Math.min(rest, maximumBytes));
  }
}
