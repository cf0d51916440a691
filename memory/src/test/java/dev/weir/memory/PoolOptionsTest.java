package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.memory.purge.PurgePolicy;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

class PoolOptionsTest {
  private final PoolOptions options = PoolOptions.withLimit(8 << 20);

  @Test
  void theDefaultsAreThoseOfTheContract() {
    assertThat(options.limitBytes()).isEqualTo(8 << 20);
    assertThat(options.decay()).isEqualTo(Duration.ofSeconds(1));
    assertThat(options.purgePolicy()).isSameAs(PurgePolicy.balanced());
    assertThat(options.heapLimitBytes()).isEqualTo(Runtime.getRuntime().maxMemory());
    assertThat(options.name()).isNotEqualTo(PoolOptions.withLimit(8 << 20).name());
  }

  @Test
  void aChangedCopyLeavesTheOriginalAlone() {
    PoolOptions changed =
        options
            .withName("uploads")
            .withHeapLimit(5)
            .withDecay(Duration.ofMillis(10))
            .withPurgePolicy(PurgePolicy.dense())
            .withProfile(1 << 20);

    assertThat(changed.name()).isEqualTo("uploads");
    assertThat(changed.heapLimitBytes()).isEqualTo(5);
    assertThat(changed.decay()).isEqualTo(Duration.ofMillis(10));
    assertThat(changed.purgePolicy()).isSameAs(PurgePolicy.dense());
    assertThat(changed.limitBytes()).isEqualTo(8 << 20);
    assertThat(options.decay()).isEqualTo(Duration.ofSeconds(1));
    assertThat(options.name()).isNotEqualTo("uploads");
  }

  @Test
  void aLimitOutOfRangeIsRefusedWithTheRange() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PoolOptions.withLimit(PoolOptions.MIN_LIMIT_BYTES - 1))
        .withMessageContaining("below the smallest");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PoolOptions.withLimit(PoolOptions.MAX_LIMIT_BYTES + 1))
        .withMessageContaining("above the largest");
    assertThat(PoolOptions.withLimit(PoolOptions.MIN_LIMIT_BYTES)).isNotNull();
    assertThat(PoolOptions.withLimit(PoolOptions.MAX_LIMIT_BYTES)).isNotNull();
  }

  @Test
  void otherSettingsOutOfRangeAreRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> options.withHeapLimit(-1));
    assertThatIllegalArgumentException().isThrownBy(() -> options.withDecay(Duration.ofMillis(9)));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> options.withDecay(Duration.ofDays(1).plusNanos(1)))
        .withMessageContaining("not between");
  }

  @Test
  @ResourceLock(Resources.SYSTEM_PROPERTIES)
  void thePropertyOfTheProcessGivesPoolsAProfileThatSayNothing() {
    String found = System.getProperty(PoolOptions.PROFILE_PROPERTY);
    try {
      System.setProperty(PoolOptions.PROFILE_PROPERTY, "on");
      PoolOptions asked = PoolOptions.withLimit(8 << 20);
      assertThat(asked.bytesPerSample()).isEqualTo(PoolOptions.DEFAULT_BYTES_PER_SAMPLE);
      assertThat(asked.withoutProfile().bytesPerSample()).isZero();
      assertThat(asked.withProfile(1 << 20).bytesPerSample()).isEqualTo(1 << 20);
      System.setProperty(PoolOptions.PROFILE_PROPERTY, "65536");
      assertThat(PoolOptions.withLimit(8 << 20).bytesPerSample()).isEqualTo(65_536);
      for (String wrong : new String[] {"yes", "64K", "1"}) {
        System.setProperty(PoolOptions.PROFILE_PROPERTY, wrong);
        assertThatIllegalArgumentException().isThrownBy(() -> PoolOptions.withLimit(8 << 20));
      }
    } finally {
      if (found == null) {
        System.clearProperty(PoolOptions.PROFILE_PROPERTY);
      } else {
        System.setProperty(PoolOptions.PROFILE_PROPERTY, found);
      }
    }
    assertThat(PoolOptions.withLimit(8 << 20).bytesPerSample()).isEqualTo(options.bytesPerSample());
  }

  @Test
  void aPoolWithoutANameIsRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> Pool.create(options.withName(" ")));
  }
}
