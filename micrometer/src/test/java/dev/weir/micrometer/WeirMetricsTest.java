package dev.weir.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.memory.Block;
import dev.weir.memory.Grant;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.hardening.Hardening;
import dev.weir.memory.profile.LeakWatch;
import dev.weir.memory.profile.LiveBlocks;
import dev.weir.memory.profile.LiveProfile;
import dev.weir.memory.view.PoolView;
import dev.weir.netty.WeirAllocator;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class WeirMetricsTest {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final Pool pool =
      Pool.create(PoolOptions.withLimit(8 << 20).withName("metered").withDecay(Duration.ofDays(1)));

  private double gauge(String name, String... tags) {
    return registry.get(name).tags(tags).gauge().value();
  }

  @Test
  void everyMeterShowsWhatThePoolSays() {
    Budget uploads = pool.rootBudget().child("uploads", 1 << 20);
    Budget open = pool.rootBudget().child("open", Budget.UNLIMITED);
    List<Block> live = List.of(pool.allocate(100_000, uploads), pool.allocate(1000, open));
    pool.allocate(300_000).release();
    new WeirMetrics(pool, Tags.of("service", "x"))
        .withBudget(uploads)
        .withBudget(open)
        .bindTo(registry);

    assertThat(gauge("weir.pool.limit", "pool", "metered", "service", "x")).isEqualTo(8 << 20);
    assertThat(gauge("weir.pool.resident", "state", "live")).isEqualTo(pool.liveBytes());
    assertThat(gauge("weir.pool.resident", "state", "dirty")).isEqualTo(303_104);
    assertThat(gauge("weir.pool.resident.peak")).isEqualTo(pool.peakResidentBytes());
    assertThat(gauge("weir.pool.promised")).isZero();
    assertThat(gauge("weir.pool.heap", "state", "live")).isZero();
    assertThat(gauge("weir.pool.heap", "state", "free")).isZero();
    ByteBuf held = new WeirAllocator(pool).heapBuffer(1000);
    assertThat(gauge("weir.pool.heap", "state", "live")).isEqualTo(1024);
    assertThat(gauge("weir.pool.heap", "state", "free"))
        .isPositive()
        .isEqualTo(pool.rootBudget().heldHeapBytes() - 1024);
    held.release();
    assertThat(gauge("weir.pool.blocks")).isEqualTo(2);
    assertThat(gauge("weir.pool.blocks.size")).isEqualTo(102_400 + 1024);
    assertThat(
            gauge("weir.pool.blocks.size")
                + gauge("weir.pool.waste", "kind", "free.slots")
                + gauge("weir.pool.waste", "kind", "uncommitted"))
        .isEqualTo(pool.liveBytes());
    assertThat(registry.get("weir.pool.purged").functionCounter().count()).isZero();
    assertThat(gauge("weir.budget.charged", "budget", "metered/uploads")).isEqualTo(102_400);
    assertThat(gauge("weir.budget.limit", "budget", "metered/uploads")).isEqualTo(1 << 20);
    assertThat(gauge("weir.budget.limit", "budget", "metered/open")).isNaN();
    assertThat(gauge("weir.budget.heap", "budget", "metered/open")).isZero();
    live.forEach(Block::release);
    pool.close();
  }

  @Test
  void hardenedBlocksAreShownByKind() {
    Pool hardened =
        Pool.create(
            PoolOptions.withLimit(8 << 20).withName("hardened").withHardening(Hardening.full()));
    new WeirMetrics(hardened).bindTo(registry);
    Block live = hardened.allocate(1000);
    Block stale = hardened.allocate(5000);
    stale.release();
    assertThatIllegalStateException().isThrownBy(stale::release);

    assertThat(gauge("weir.pool.blocks.size", "pool", "hardened")).isEqualTo(1000);
    assertThat(
            gauge("weir.pool.blocks.size")
                + gauge("weir.pool.waste", "kind", "quarantined")
                + gauge("weir.pool.waste", "kind", "hardening"))
        .isEqualTo(hardened.liveBytes());
    assertThat(gauge("weir.pool.growth")).isZero();
    assertThat(misuses("second.release")).isOne();
    assertThat(misuses("overrun")).isZero();
    live.release();
    hardened.close();
  }

  @Test
  void refusalsGrantsAndPressureAreCounted() {
    Budget small = pool.rootBudget().child("small", 1 << 20);
    new WeirMetrics(pool).withBudget(small).bindTo(registry);
    assertThat(counter("weir.pool.refusals")).isZero();
    assertThat(gauge("weir.pool.pressure")).isZero();

    assertThat(pool.tryAllocate(2 << 20, small)).isNull();
    assertThatThrownBy(() -> pool.allocate(2 << 20, small)).isInstanceOf(OutOfMemoryError.class);
    assertThat(pool.tryGrant(2 << 20, small)).isNull();
    assertThat(counter("weir.pool.refusals")).isEqualTo(3);

    Block block = pool.allocate(1 << 20, small);
    assertThat(gauge("weir.budget.pressure", "budget", "metered/small")).isEqualTo(2);
    assertThat(gauge("weir.pool.pressure")).isZero();
    CompletableFuture<Grant> waits = pool.grant(4096, Duration.ofHours(1), small);
    CompletableFuture<Grant> vain = pool.grant(4096, Duration.ofMillis(1), small);
    assertThatThrownBy(vain::get).hasCauseInstanceOf(TimeoutException.class);
    assertThat(gauge("weir.pool.grants.waiting")).isEqualTo(1);
    assertThat(counter("weir.pool.grants.timeouts")).isEqualTo(1);

    block.release();
    waits.join().close();
    assertThat(gauge("weir.pool.grants.waiting")).isZero();
    assertThat(registry.find("weir.pool.allocated").meter()).as("without a profile").isNull();
    pool.close();
  }

  @Test
  void whatWasAllocatedIsNeverBelowWhatIsLiveAndNeverFalls() {
    Pool profiled =
        Pool.create(PoolOptions.withLimit(64 << 20).withName("profiled").withProfile(16 << 20));
    Budget feature = profiled.rootBudget().child("feature", Budget.UNLIMITED);
    new WeirMetrics(profiled).withBudget(feature).bindTo(registry);
    List<Block> live = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      live.add(profiled.allocate(4096, feature));
      assertThat(counter("weir.budget.allocated")).isGreaterThanOrEqualTo(live.size() * 4096);
    }
    assertThat(counter("weir.pool.allocated")).isGreaterThanOrEqualTo(100 * 4096);
    live.forEach(Block::release);
    assertThat(counter("weir.pool.allocated")).isGreaterThanOrEqualTo(100 * 4096);
    assertThat(counter("weir.budget.allocated")).isGreaterThanOrEqualTo(100 * 4096);
    profiled.close();
  }

  @Test
  void suspectsOfAWatchAreCounted() {
    LeakWatch watch = new LeakWatch(Duration.ofMillis(1));
    new WeirMetrics(pool).withLeakWatch(watch).bindTo(registry);
    StackTraceElement place = new StackTraceElement("com.example.Leak", "leak", "Leak.java", 1);
    List<LiveBlocks> live = new ArrayList<>();
    for (int i = 1; i <= 100; i++) {
      live.add(new LiveBlocks("metered", 1 << 20, 1, 1_000_000_000, List.of(place)));
      watch.read(new LiveProfile(1 << 20, 0, live), i * 1_000_000L);
    }
    assertThat(watch.suspects()).hasSize(1);
    assertThat(gauge("weir.pool.suspected.leaks")).isEqualTo(1);
  }

  private double counter(String name) {
    return registry.get(name).functionCounter().count();
  }

  private double misuses(String kind) {
    return registry.get("weir.pool.misuses").tag("kind", kind).functionCounter().count();
  }

  @Test
  void namesAndTagsFollowTheConventionsAndAreBounded() {
    new WeirMetrics(pool).withBudget(pool.rootBudget().child("a", 1)).bindTo(registry);
    int meters = registry.getMeters().size();
    for (int i = 0; i < 100; i++) {
      pool.rootBudget().child("channel " + i, 1 << 20);
    }

    assertThat(registry.getMeters()).hasSize(meters);
    assertThat(registry.getMeters())
        .extracting(Meter::getId)
        .allSatisfy(id -> {
          assertThat(id.getName()).matches("weir\\.(pool|budget)(\\.[a-z]+)+");
          assertThat(id.getTag("pool")).isEqualTo("metered");
          assertThat(id.getBaseUnit()).isIn("bytes", "blocks", "misuses", null);
          assertThat(id.getDescription())
              .as("a sentence about the pool or a budget")
              .matches("[A-Z].*\\b(pool|budget)\\b.*");
        });
  }

  @Test
  void budgetsOfOtherPoolsAndTooManyAreRefused() {
    Pool other = Pool.create(PoolOptions.withLimit(8 << 20).withName("other"));
    WeirMetrics metrics = new WeirMetrics(pool);
    assertThatThrownBy(() -> metrics.withBudget(other.rootBudget()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("other");
    WeirMetrics full = metrics;
    for (int i = 0; i < WeirMetrics.MAX_BUDGETS; i++) {
      full = full.withBudget(pool.rootBudget().child("b" + i, 1));
    }
    WeirMetrics most = full;
    assertThatThrownBy(() -> most.withBudget(pool.rootBudget()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("64 budgets");
  }

  @Test
  void whatIsClosedMakesRoomForAPoolOfTheSameName() {
    Gauge.builder("other", () -> 1).register(registry);
    WeirMetrics first = new WeirMetrics(pool).withBudget(pool.rootBudget().child("a", 1));
    first.bindTo(registry);
    Pool second = Pool.create(PoolOptions.withLimit(16 << 20).withName("metered"));
    WeirMetrics notShown = new WeirMetrics(second);
    notShown.bindTo(registry);
    notShown.close();
    assertThat(gauge("weir.pool.limit")).isEqualTo(8 << 20);

    first.close();
    assertThat(registry.getMeters()).hasSize(1);
    new WeirMetrics(second).bindTo(registry);
    assertThat(gauge("weir.pool.limit")).isEqualTo(16 << 20);
    second.close();
  }

  @Test
  void aPoolThatIsClosedReadsAsItWas() {
    new WeirMetrics(pool).bindTo(registry);
    pool.close();
    assertThat(gauge("weir.pool.limit")).isEqualTo(8 << 20);
    assertThat(registry.get("weir.pool.purged").functionCounter().count()).isNotNegative();
  }

  @Test
  void twoBudgetsOfOnePathAreRefused() {
    WeirMetrics metrics = new WeirMetrics(pool).withBudget(pool.rootBudget().child("a", 1));
    assertThatThrownBy(() -> metrics.withBudget(pool.rootBudget().child("a", 1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("metered/a");
  }

  @Test
  void aScrapeLooksAtThePoolOnce() {
    CachedView views = new CachedView();
    PoolView first = views.at(pool, 0);
    assertThat(views.at(pool, 1_000_000_000)).isSameAs(first);
    assertThat(views.at(pool, 1_000_000_001)).isNotSameAs(first);
  }
}
