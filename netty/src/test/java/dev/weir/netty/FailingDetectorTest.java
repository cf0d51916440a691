package dev.weir.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetector.Level;
import io.netty.util.ResourceLeakDetectorFactory;
import io.netty.util.ResourceLeakTracker;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A leak detector that finds the Java heap full when it is to watch a buffer: the buffer goes back.
 * In a process of its own, for Netty makes the detector of buffers once.
 */
class FailingDetectorTest {
  @ParameterizedTest
  @EnumSource(names = {"SIMPLE", "ADVANCED", "PARANOID"})
  void leavesNothingBehind(Level level) throws Exception {
    String output = ChildJvm.run(Buffers.class, List.of(), level.name());

    assertThat(output).contains("nothing is left");
  }

  /** The process. */
  static final class Buffers {
    private static final int EACH = 2_000;

    private Buffers() {}

    public static void main(String[] args) {
      Level level = Level.valueOf(args[0]);
      ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(new Failing(level));
      ResourceLeakDetector.setLevel(level);
      Pool pool = Pool.create(PoolOptions.withLimit(64 << 20));
      WeirAllocator allocator = new WeirAllocator(pool);
      Budget budget = pool.rootBudget().child("feature", 32 << 20);
      ByteBufAllocator view = allocator.charging(budget);
      int failures = 0;
      for (ByteBufAllocator of : List.of(allocator, view)) {
        failures += failures(() -> of.directBuffer(1_000));
        failures += failures(() -> of.directBuffer(100_000));
        failures += failures(() -> of.heapBuffer(1_000));
        failures += failures(() -> allocator.wrap(pool.allocate(1_000, budget), 10, 1_000));
      }
      System.out.println(
          "%d failures, %d B live, %d B of heap buffers, %d B charged"
              .formatted(
                  failures,
                  pool.liveBlockBytes(),
                  pool.rootBudget().heapBytes(),
                  budget.chargedBytes()));
      if (failures > 0
          && pool.liveBlockBytes() == 0
          && pool.rootBudget().heapBytes() == 0
          && budget.chargedBytes() == 0) {
        System.out.println("nothing is left");
      }
    }

    private static int failures(Supplier<ByteBuf> buffers) {
      int failures = 0;
      for (int i = 0; i < EACH; i++) {
        try {
          buffers.get().release();
        } catch (OutOfMemoryError planted) {
          failures++;
        }
      }
      return failures;
    }
  }

  /** Its detectors fail in what is called at a level: one with a {@code track} draws itself. */
  private static final class Failing extends ResourceLeakDetectorFactory {
    private final Level level;

    Failing(Level level) {
      this.level = level;
    }

    @Override
    @SuppressWarnings("deprecation") // Abstract in Netty.
    public <T> ResourceLeakDetector<T> newResourceLeakDetector(
        Class<T> resource, int samplingInterval, long maxActive) {
      return newResourceLeakDetector(resource, samplingInterval);
    }

    @Override
    public <T> ResourceLeakDetector<T> newResourceLeakDetector(
        Class<T> resource, int samplingInterval) {
      return level == Level.SIMPLE
          ? new ResourceLeakDetector<>(resource, samplingInterval) {
            @Override
            public ResourceLeakTracker<T> trackForcibly(T object) {
              throw new OutOfMemoryError("planted");
            }
          }
          : new ResourceLeakDetector<>(resource, samplingInterval) {
            @Override
            public ResourceLeakTracker<T> track(T object) {
              throw new OutOfMemoryError("planted");
            }
          };
    }
  }
}
