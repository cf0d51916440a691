package dev.weir.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** An allocator for one test class, at whose end everything must have been released. */
public final class PoolUnderTest implements AfterEachCallback, AfterAllCallback {
  private static final long LIMIT_BYTES = 256L << 20;

  private final WeirAllocator allocator;
  private final List<ByteBuf> toleratedLeaks = new ArrayList<>();

  public PoolUnderTest() {
    this(PoolOptions.withLimit(LIMIT_BYTES));
  }

  public PoolUnderTest(PoolOptions options) {
    allocator = new WeirAllocator(Pool.create(options));
  }

  public WeirAllocator allocator() {
    return allocator;
  }

  public Pool pool() {
    return allocator.pool();
  }

  /**
   * Releases a buffer after the test if the test has not: for inherited tests that are expected to
   * throw before they come to their own release.
   */
  public ByteBuf releasedAtTheLatestAfter(ByteBuf buffer) {
    toleratedLeaks.add(buffer);
    return buffer;
  }

  public void assertEverythingReleased() {
    assertThat(pool().liveBlockBytes()).as("bytes of live blocks").isZero();
    assertThat(pool().rootBudget().heapBytes()).as("bytes of live heap buffers").isZero();
    assertThat(pool().profile().samples()).as("samples of live blocks").isEmpty();
    pool().checkInvariants();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    for (ByteBuf buffer : toleratedLeaks) {
      if (buffer.refCnt() > 0) {
        buffer.release(buffer.refCnt());
      }
    }
    toleratedLeaks.clear();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    assertEverythingReleased();
    allocator.close();
    pool().close();
  }
}
