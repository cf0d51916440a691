package dev.weir.netty.versions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.netty.WeirAllocator;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.AbstractByteBufAllocatorTest;
import io.netty.buffer.AbstractByteBufTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.DefaultEventLoop;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs the tests of its buffers that the Netty on the class path brings, on Weir's buffers and on
 * an event loop. Writes a line for each test.
 */
final class BufferTestsProgram {
  private static final WeirAllocator ALLOCATOR = WeirAllocator.withLimit(256L << 20);

  private BufferTestsProgram() {}

  static class Direct extends AbstractByteBufTest {
    @Override
    protected ByteBuf newBuffer(int capacity, int maxCapacity) {
      return ALLOCATOR.directBuffer(capacity, maxCapacity);
    }

    /** Netty asks for the capacity that its own allocators round up to; here it is the block. */
    @Test
    @Override
    public void testMaxFastWritableBytes() {
      ByteBuf buffer = newBuffer(150, 500_000).writerIndex(100);
      int blockBytes = buffer.writerIndex() + buffer.maxFastWritableBytes();
      long address = buffer.memoryAddress();
      buffer.writeZero(buffer.maxFastWritableBytes());
      assertEquals(blockBytes, buffer.capacity());
      assertEquals(address, buffer.memoryAddress());
      assertEquals(0, buffer.maxFastWritableBytes());
      buffer.release();
    }
  }

  static class Heap extends AbstractByteBufTest {
    @Override
    protected ByteBuf newBuffer(int capacity, int maxCapacity) {
      return ALLOCATOR.heapBuffer(capacity, maxCapacity);
    }

    /** As for direct buffers: here it is the slot. */
    @Test
    @Override
    public void testMaxFastWritableBytes() {
      ByteBuf buffer = newBuffer(150, 500_000).writerIndex(100);
      int slotBytes = buffer.writerIndex() + buffer.maxFastWritableBytes();
      byte[] array = buffer.array();
      buffer.writeZero(buffer.maxFastWritableBytes());
      assertEquals(slotBytes, buffer.capacity());
      assertSame(array, buffer.array());
      assertEquals(0, buffer.maxFastWritableBytes());
      buffer.release();
    }
  }

  static class Allocator extends AbstractByteBufAllocatorTest<AbstractByteBufAllocator> {
    @Override
    protected AbstractByteBufAllocator newAllocator(boolean preferDirect) {
      Pool pool = Pool.create(PoolOptions.withLimit(128L << 20));
      return preferDirect ? new WeirAllocator(pool) : WeirAllocator.preferringHeap(pool);
    }

    @Override
    protected AbstractByteBufAllocator newUnpooledAllocator() {
      return new UnpooledByteBufAllocator(/* preferDirect= */ true);
    }
  }

  public static void main(String[] arguments) throws Exception {
    DefaultEventLoop loop = new DefaultEventLoop();
    loop.submit(BufferTestsProgram::runTests).sync();
    loop.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    Pool pool = ALLOCATOR.pool();
    pool.checkInvariants();
    System.out.println("live: " + pool.liveBlockBytes() + " " + pool.rootBudget().heapBytes());
  }

  private static void runTests() {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(
                DiscoverySelectors.selectClass(Direct.class),
                DiscoverySelectors.selectClass(Heap.class),
                DiscoverySelectors.selectClass(Allocator.class))
            .configurationParameter("junit.jupiter.execution.parallel.enabled", "false")
            .build();
    LauncherFactory.create().execute(request, new Lines());
  }

  /** A line for each test: its result, its class, its name. */
  private static final class Lines implements TestExecutionListener {
    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      if (!test.isTest()) {
        return;
      }
      System.out.println(
          result.getStatus() + " " + test.getUniqueId().replaceAll("\\[engine:[^]]*\\]/", ""));
      result
          .getThrowable()
          .filter(failure -> result.getStatus() == TestExecutionResult.Status.FAILED)
          .ifPresent(failure -> failure.printStackTrace(System.out));
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
      System.out.println("SKIPPED " + test.getUniqueId() + ": " + reason);
    }
  }
}
