package dev.weir.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import io.netty.buffer.ByteBuf;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetector.Level;
import io.netty.util.ResourceLeakDetectorFactory;
import io.netty.util.ResourceLeakTracker;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A leak detector that decides itself which buffers it watches is asked for each. In a process of
 * its own, for Netty makes the detector of buffers once.
 */
class DetectorOfItsOwnTest {
  @ParameterizedTest
  @EnumSource
  void isAskedForEachBuffer(Level level) throws Exception {
    String output = ChildJvm.run(Buffers.class, List.of(), level.name());

    assertThat(output).contains("asked 500 500 500 times");
  }

  /** The process. */
  static final class Buffers {
    private static final int EACH = 500;
    private static final AtomicInteger ASKED = new AtomicInteger();

    private Buffers() {}

    public static void main(String[] args) {
      ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(new Asked());
      ResourceLeakDetector.setLevel(Level.valueOf(args[0]));
      Pool pool = Pool.create(PoolOptions.withLimit(64 << 20));
      WeirAllocator allocator = new WeirAllocator(pool);
      System.out.println(
          "asked %d %d %d times"
              .formatted(
                  asked(() -> allocator.directBuffer(1_000)),
                  asked(() -> allocator.heapBuffer(1_000)),
                  asked(() -> allocator.wrap(pool.allocate(1_000), 10, 1_000))));
    }

    private static int asked(Supplier<ByteBuf> buffers) {
      ASKED.set(0);
      for (int i = 0; i < EACH; i++) {
        buffers.get().release();
      }
      return ASKED.get();
    }
  }

  private static final class Asked extends ResourceLeakDetectorFactory {
    @Override
    @SuppressWarnings("deprecation") // Abstract in Netty.
    public <T> ResourceLeakDetector<T> newResourceLeakDetector(
        Class<T> resource, int samplingInterval, long maxActive) {
      return newResourceLeakDetector(resource, samplingInterval);
    }

    @Override
    public <T> ResourceLeakDetector<T> newResourceLeakDetector(
        Class<T> resource, int samplingInterval) {
      return new ResourceLeakDetector<>(resource, samplingInterval) {
        @Override
        public @Nullable ResourceLeakTracker<T> track(T object) {
          Buffers.ASKED.incrementAndGet();
          return null;
        }
      };
    }
  }
}
