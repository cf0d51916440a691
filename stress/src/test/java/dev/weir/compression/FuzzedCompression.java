package dev.weir.compression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.compression.codec.Decoder;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;
import dev.weir.netty.WeirAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.List;

/** The memory and the contexts of a fuzz test of what compresses. */
public final class FuzzedCompression {
  private static final Pool POOL = Pool.create(PoolOptions.withLimit(256 << 20));
  private static final Budget CONTEXTS = POOL.rootBudget().child("contexts", Budget.UNLIMITED);

  /** What buffers come from. */
  public static final WeirAllocator ALLOCATOR = new WeirAllocator(POOL);

  /** Has room for every context. */
  public static final Compression ROOMY =
      Compression.create(POOL, CONTEXTS, CompressionOptions.DEFAULT);

  /** Has room for none. */
  public static final Compression WITHOUT_MEMORY =
      Compression.create(POOL, POOL.rootBudget().child("none", 1), CompressionOptions.DEFAULT);

  private FuzzedCompression() {}

  /**
   * Decompresses a stream that comes in pieces.
   *
   * @param mostBytes so much of the content is enough
   * @param whole whether the stream is to be at its end behind them
   * @throws dev.weir.compression.codec.CorruptInputException if it is refused
   */
  public static byte[] decoded(
      ContentCoding coding, List<byte[]> pieces, int targetBytes, int mostBytes, boolean whole) {
    ByteBuf source = ALLOCATOR.directBuffer();
    ByteBuf target = ALLOCATOR.directBuffer(targetBytes, targetBytes);
    ByteBuf content = ALLOCATOR.heapBuffer();
    try (Decoder decoder = ROOMY.decoder(coding)) {
      for (byte[] piece : pieces) {
        source.clear().writeBytes(piece);
        boolean done;
        do {
          done = decoder.decode(source, target);
          content.writeBytes(target);
          target.clear();
          if (content.readableBytes() >= mostBytes) {
            return ByteBufUtil.getBytes(content, 0, mostBytes);
          }
        } while (!done);
      }
      if (whole) {
        decoder.finish();
      }
      return ByteBufUtil.getBytes(content);
    } finally {
      source.release();
      target.release();
      content.release();
    }
  }

  /** No context is in use, and nothing else is live. */
  public static void assertNothingHeld() {
    assertThat(CONTEXTS.chargedBytes()).isEqualTo(ROOMY.idleBytes());
    ROOMY.destroyIdle(Long.MAX_VALUE);
    assertThat(POOL.liveBlockBytes()).isZero();
  }
}
