package dev.weir.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Block;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.profile.LiveBlocks;
import dev.weir.memory.profile.LiveProfile;
import dev.weir.memory.profile.LiveSite;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetector.Level;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Netty's buffers in the profile of live memory, on an event loop. */
@Timeout(120)
class ProfileTest {
  private static final int MIB = 1 << 20;

  @RegisterExtension static final OnEventLoop THREAD = new OnEventLoop();

  private final Level levelBefore = ResourceLeakDetector.getLevel();
  private final Pool pool =
      Pool.create(
          PoolOptions.withLimit(256 << 20)
              .withName("pool")
              .withProfile(PoolOptions.DEFAULT_BYTES_PER_SAMPLE));
  private final WeirAllocator allocator = new WeirAllocator(pool);
  private final Budget feature = pool.rootBudget().child("feature", Budget.UNLIMITED);
  private final ByteBufAllocator view = allocator.charging(feature);

  @AfterEach
  void everySampleHasEnded() {
    ResourceLeakDetector.setLevel(levelBefore);
    assertThat(pool.profile().samples()).isEmpty();
    assertThat(feature.chargedBytes()).isZero();
    assertThat(pool.liveBlockBytes()).isZero();
    allocator.close();
    pool.close();
  }

  private List<ByteBuf> leak(int buffers, int bytes) {
    List<ByteBuf> held = new ArrayList<>();
    for (int i = 0; i < buffers; i++) {
      held.add(view.directBuffer(bytes));
    }
    return held;
  }

  @ParameterizedTest
  @EnumSource(Level.class)
  void aLeakIsNamedAtEveryLevelOfNettysDetector(Level level) {
    ResourceLeakDetector.setLevel(level);
    List<ByteBuf> held = leak(16_384, 4_096);

    LiveSite top = pool.profile().sites().getFirst();
    assertThat(top.budget()).isEqualTo("pool/feature");
    assertThat(top.stack().getFirst())
        .extracting(StackTraceElement::getClassName, StackTraceElement::getMethodName)
        .containsExactly(ProfileTest.class.getName(), "leak");
    assertThat(top.bytes()).isPositive();
    held.forEach(ByteBuf::release);
  }

  @Test
  void anyThreadMayReleaseASampledBuffer() throws InterruptedException {
    List<ByteBuf> held = leak(64, MIB);
    assertThat(pool.profile().samples()).isNotEmpty();

    Thread other = Thread.ofPlatform().start(() -> held.forEach(ByteBuf::release));
    other.join();
  }

  @Test
  void aBufferThatGrowsIsSampledWithAllItsBytes() {
    ByteBuf body = view.directBuffer(256);
    body.capacity(64 * MIB);

    assertThat(pool.profile().samples())
        .as("64 MiB in one buffer cannot be missed")
        .singleElement()
        .satisfies(blocks -> {
          assertThat(blocks.blockBytes()).isEqualTo(64L * MIB);
          assertThat(blocks.blocks()).isLessThan(1.01);
        });
    body.capacity(32 * MIB);
    assertThat(pool.profile().samples())
        .singleElement()
        .extracting(LiveBlocks::blockBytes)
        .isEqualTo(32L * MIB);
    body.release();
  }

  @Test
  void whatAResizedBufferHasBeyondItsCapacityIsRounding() {
    ByteBuf body = view.directBuffer(256);
    for (int capacity : new int[] {64 * MIB - 1_000, 32 * MIB - 1_000}) {
      body.capacity(capacity);
      assertThat(pool.profile().samples())
          .singleElement()
          .satisfies(blocks -> {
            assertThat(blocks.requestedBytes()).isEqualTo(capacity);
            assertThat(blocks.blockBytes()).isEqualTo(capacity + 1_000);
          });
    }
    body.release();
  }

  @Test
  void aWrappedBlockTakesItsSampleAlong() {
    Block block = pool.allocate(16 * MIB, feature);
    LiveProfile before = pool.profile();
    assertThat(before.samples()).hasSize(1);

    ByteBuf buffer = allocator.wrap(block, MIB, MIB);
    assertThat(pool.profile().bytes()).isEqualTo(before.bytes());
    buffer.release();
  }

  @Test
  void slicesAndDuplicatesAreNoBlocksOfTheirOwn() {
    ByteBuf body = view.directBuffer(16 * MIB);
    ByteBuf slice = body.retainedSlice(0, MIB);
    body.release();
    assertThat(pool.profile().samples()).hasSize(1);
    slice.release();
  }
}
