package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.memory.budget.BudgetExceededError;
import dev.weir.memory.heap.SizeClasses;
import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.pages.ReservationPlan;
import dev.weir.memory.pages.SpanSize;
import dev.weir.memory.testing.TouchedPages;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a reservation says that it guarantees though it had to be halved is true: a request within
 * the bound is refused only where one of the numbers that it names is exceeded.
 */
class HalvedReservationTest {
  private static final long LIMIT_BYTES = 64L << 20;

  private final FakeNativeMemory os = new FakeNativeMemory();

  private Pool pool(ReservationPlan plan) {
    os.limitReservations(plan.bytes() + 4 * SpanSize.LARGE.bytes());
    Pool pool =
        Pool.create(
            PoolOptions.withLimit(LIMIT_BYTES).withDecay(Duration.ofDays(1)).withNativeMemory(os));
    pool.allocate(1).release();
    assertThat(pool.snapshot().guarantee()).isEqualTo(plan.guarantee());
    return pool;
  }

  private static boolean isWithinTheBound(Pool pool, TouchedPages touched, long bytes) {
    return touched.bytes() + TouchedPages.neededBytes(bytes)
        <= pool.limitBytes() - pool.slackBytes();
  }

  private static void assertThatTheRefusalSaysWhy(Pool pool, ReservationPlan plan, long bytes) {
    assertThatThrownBy(() -> pool.allocate(bytes))
        .isInstanceOf(BudgetExceededError.class)
        .hasMessageContaining("addresses that are missing")
        .hasMessageContaining(plan.guarantee());
  }

  private void end(Pool pool, List<Block> live) {
    live.forEach(Block::release);
    BoundSession.end(pool, os);
  }

  @ParameterizedTest(name = "halved {0} times")
  @ValueSource(ints = {1, 2, 3, 4})
  void runsAreRefusedOnlyWhereTheyWouldBeScatteredOverMore(int halvings) {
    ReservationPlan plan = ReservationPlan.of(LIMIT_BYTES, os.pageBytes(), halvings);
    Pool pool = pool(plan);
    long regionBytes = plan.runPages() * plan.pageBytes();
    assertThat(plan.guarantee()).contains("more than %,d MiB of addr".formatted(regionBytes >> 20));
    List<Long> withinTheBound = new ArrayList<>();
    PowersOfTwo[] program = new PowersOfTwo[1];
    program[0] =
        new PowersOfTwo(
            pool,
            size -> {
              if (isWithinTheBound(pool, program[0].touched(), size)) {
                withinTheBound.add(size);
                assertThat(size).isGreaterThan(SizeClasses.MAX_SLOT_BYTES);
                assertThat(longestGapBytes(program[0], regionBytes))
                    .as("of %,d MiB of addresses", regionBytes >> 20)
                    .isLessThan(size);
                assertThatTheRefusalSaysWhy(pool, plan, size);
              }
            });
    program[0].run();
    System.out.printf(
        "halved %d times, to %,d MiB for runs: refused within the bound %s%n",
        halvings, regionBytes >> 20, withinTheBound);
    assertThat(program[0].runsSpreadBytes()).isLessThanOrEqualTo(regionBytes);
    assertThat(withinTheBound.isEmpty())
        .as("the program needs 3.5 times the limit")
        .isEqualTo(halvings <= 2);
    end(pool, program[0].live());
  }

  /** The most bytes of addresses in one piece that no live run lies on. */
  private static long longestGapBytes(PowersOfTwo program, long regionBytes) {
    List<Block> runs =
        program.live().stream()
            .filter(block -> block.size() > SizeClasses.MAX_SLOT_BYTES)
            .sorted(Comparator.comparingLong(Block::address))
            .toList();
    long longest = 0;
    long end = program.runsBegin();
    for (Block run : runs) {
      longest = Math.max(longest, run.address() - end);
      end = run.address() + run.size();
    }
    return Math.max(longest, program.runsBegin() + regionBytes - end);
  }

  @ParameterizedTest(name = "slots of {0} bytes and the sizes below")
  @ValueSource(ints = {4_096, 65_536})
  void slotsAreRefusedOnlyWhereSoManySlabsArePinned(int largestSlotBytes) {
    ReservationPlan plan = ReservationPlan.of(LIMIT_BYTES, os.pageBytes(), 6);
    Pool pool = pool(plan);
    SpanSize slab =
        largestSlotBytes > SizeClasses.MAX_SMALL_BYTES ? SpanSize.LARGE : SpanSize.SMALL;
    int slabs = slab == SpanSize.LARGE ? plan.largeSpans() : plan.smallSpans();
    assertThat(plan.guarantee())
        .contains(
            "more than %,d small or %,d large slabs"
                .formatted(plan.smallSpans(), plan.largeSpans()));
    TouchedPages touched = new TouchedPages();
    List<Block> live = new ArrayList<>();
    Map<Long, Block> pins = new HashMap<>();
    int sizeClass = SizeClasses.classOf(largestSlotBytes);
    int bytes = largestSlotBytes;
    while (!isWithinTheBound(pool, touched, bytes) || live.isEmpty()) {
      releaseAllBut(pins, slab, live, touched);
      bytes = SizeClasses.slotBytes(sizeClass--);
      for (Block block = pool.tryAllocate(bytes); block != null; block = pool.tryAllocate(bytes)) {
        touched.add(block);
        live.add(block);
        pins.putIfAbsent(block.address() / slab.bytes(), block);
      }
    }
    assertThat(pins).as("pinned slabs").hasSize(slabs);
    assertThatTheRefusalSaysWhy(pool, plan, bytes);
    end(pool, live);
  }

  @SuppressWarnings("ReferenceEquality") // a block is its identity
  private static void releaseAllBut(
      Map<Long, Block> pins, SpanSize slab, List<Block> live, TouchedPages touched) {
    live.removeIf(block -> {
      boolean released = pins.get(block.address() / slab.bytes()) != block;
      if (released) {
        touched.remove(block);
        block.release();
      }
      return released;
    });
  }
}
