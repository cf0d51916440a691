package dev.weir.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultEventLoop;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A buffer is charged once, whatever is derived from it, until its last reference is released. */
@Timeout(120)
class ChargedOnceTest {
  private static final int MIB = 1 << 20;

  private final Pool pool = Pool.create(PoolOptions.withLimit(64 * MIB));
  private final WeirAllocator allocator = new WeirAllocator(pool);
  private final Budget feature = pool.rootBudget().child("feature", 32 * MIB);
  private final Budget channel = feature.child("channel", Budget.UNLIMITED);
  private final ByteBufAllocator charging = allocator.charging(channel);

  private final DefaultEventLoop loop = new DefaultEventLoop();

  @AfterEach
  void nothingIsChargedAnyMore() {
    assertCharged(0);
    assertThat(feature.heapBytes()).isZero();
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    allocator.close();
    pool.checkInvariants();
  }

  private void assertCharged(long bytes) {
    assertThat(channel.chargedBytes()).isEqualTo(bytes);
    assertThat(feature.chargedBytes()).isEqualTo(bytes);
    assertThat(pool.rootBudget().chargedBytes()).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(ints = {256, 4_096, 65_536, 128 << 10, MIB})
  void viewsOfABufferChargeNothing(int bytes) {
    ByteBuf buffer = charging.directBuffer(bytes);
    buffer.writeZero(bytes);
    assertCharged(bytes);
    List<ByteBuf> views = new ArrayList<>();
    views.add(buffer.retainedSlice(1, bytes - 2));
    views.add(buffer.retainedDuplicate());
    views.add(buffer.readRetainedSlice(bytes / 2));
    views.add(views.getFirst().retainedSlice(1, 10));
    views.add(Unpooled.unreleasableBuffer(buffer).retainedDuplicate());
    assertCharged(bytes);
    buffer.release();
    assertCharged(bytes);
    for (ByteBuf view : views.subList(0, 4)) {
      assertCharged(bytes);
      view.release();
    }
    // What cannot be released has taken no reference.
    assertCharged(0);
  }

  @Test
  void aCompositeChargesItsComponents() {
    CompositeByteBuf composite = charging.compositeDirectBuffer(64);
    for (int i = 1; i <= 8; i++) {
      composite.addComponent(true, charging.directBuffer(4_096).writeZero(4_096));
      assertCharged(4_096L * i);
    }
    ByteBuf slice = composite.retainedSlice(4_000, 8_000);
    composite.skipBytes(20_000);
    composite.discardReadComponents();
    assertCharged(4 * 4_096);
    slice.release();
    assertThat(composite.refCnt()).isEqualTo(1);
    composite.consolidate();
    assertThat(channel.chargedBytes()).isBetween((long) composite.readableBytes(), 20_480L);
    composite.release();
  }

  @Test
  void whatGrowsAndShrinksChargesWhatItHas() {
    ByteBuf buffer = charging.directBuffer(100, 8 * MIB);
    for (int bytes : new int[] {100, 5_000, 60_000, 65_537, MIB, 5 * MIB, 8 * MIB, MIB, 70_000}) {
      buffer.capacity(bytes);
      assertThat(channel.chargedBytes()).isBetween((long) bytes, bytes + bytes / 8 + 4_096L);
      assertCharged(channel.chargedBytes());
    }
    buffer.capacity(10);
    buffer.release();
  }

  @Test
  void copiesChargeWhereTheirAllocatorDoes() {
    ByteBuf buffer = charging.directBuffer(1_024).writeZero(1_024);
    ByteBuf copy = buffer.copy();
    assertCharged(2 * 1_024);
    ByteBuf elsewhere = allocator.directBuffer(1_024).writeBytes(buffer.duplicate());
    assertThat(channel.chargedBytes()).isEqualTo(2 * 1_024);
    assertThat(pool.rootBudget().chargedBytes()).isEqualTo(3 * 1_024);
    elsewhere.release();
    buffer.release();
    assertCharged(1_024);
    copy.release();
  }

  /** The budget leaves the tree only with its last buffer. */
  @Test
  void aBudgetThatIsClosedStaysChargedAbove() {
    ByteBuf buffer = charging.directBuffer(4_096);
    ByteBuf slice = buffer.retainedSlice(0, 10);
    channel.close();
    buffer.release();
    assertCharged(4_096);
    assertThat(feature.children()).containsExactly(channel);

    slice.release();

    assertThat(feature.children()).isEmpty();
  }

  /** Random operations on buffers that go from hand to hand: the sum is right at every rest. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void whateverIsDoneOnWhicheverThread(long seed) throws InterruptedException {
    Deque<ByteBuf> held = new ArrayDeque<>();
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 20; round++) {
      List<Throwable> failures = new ArrayList<>();
      Runnable work =
          () -> {
            try {
              for (int i = 0; i < 300; i++) {
                step(random, held);
              }
            } catch (Throwable e) {
              failures.add(e);
            }
          };
      if (random.nextBoolean()) {
        loop.submit(work).syncUninterruptibly();
      } else {
        Thread thread = Thread.ofPlatform().start(work);
        thread.join();
      }
      assertThat(failures).as("seed %d", seed).isEmpty();
      assertThat(channel.chargedBytes()).as("seed %d", seed).isEqualTo(feature.chargedBytes());
      assertThat(pool.rootBudget().chargedBytes())
          .as("seed %d", seed)
          .isEqualTo(feature.chargedBytes());
    }
    held.forEach(ByteBuf::release);
  }

  private void step(SplittableRandom random, Deque<ByteBuf> held) {
    if (held.size() > 60 || (!held.isEmpty() && random.nextInt(5) == 0)) {
      held.poll().release();
      return;
    }
    ByteBuf buffer = held.peek();
    switch (random.nextInt(buffer == null ? 1 : 6)) {
      case 0 -> {
        int bytes = 1 + random.nextInt(1 << random.nextInt(18));
        held.addLast(charging.directBuffer(bytes, 4 * bytes).writeZero(bytes));
      }
      case 1 -> held.addLast(buffer.retainedSlice());
      case 2 -> held.addLast(buffer.retainedDuplicate());
      case 3 -> held.addLast(charging.compositeBuffer().addComponent(true, buffer.retain()));
      case 4 -> held.addLast(buffer.copy());
      default -> {
        held.addLast(held.poll());
        ByteBuf last = held.peekLast();
        if (last != null
            && last.unwrap() == null
            && last.refCnt() == 1
            && last.maxCapacity() < MIB) {
          last.capacity(Math.max(last.writerIndex(), last.maxCapacity() / 2));
        }
      }
    }
  }
}
