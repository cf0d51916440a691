package dev.weir.compression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.compression.codec.Encoder;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.pressure.Pressure;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What rests for the next stream is no reason to give that a smaller context, or none. */
class IdleContextsTest {
  private static final int STREAMS = 4;

  @Test
  void idleContextsAreGivenBackWhereTheyPutTheirBudgetUnderPressure() {
    try (Pool pool = Pool.create(PoolOptions.withLimit(256L << 20))) {
      Budget budget = pool.rootBudget().child("compression", Budget.UNLIMITED);
      try (Compression compression = Compression.create(pool, budget, CompressionOptions.DEFAULT)) {
        rest(compression);
        long idleBytes = compression.idleBytes();
        assertThat(idleBytes).isPositive().isEqualTo(budget.chargedBytes());
        budget.setLimitBytes(idleBytes + idleBytes / 100);
        assertThat(budget.pressure()).isNotEqualTo(Pressure.NONE);

        Encoder encoder = compression.tryRequiredEncoder(ContentCoding.GZIP, -1);
        assertThat(encoder).isNotNull();
        assertThat(compression.idleBytes()).isZero();
        encoder.close();
        assertThat(budget.pressure()).isEqualTo(Pressure.NONE);
      }
      assertThat(budget.chargedBytes()).isZero();
    }
  }

  private static void rest(Compression compression) {
    List<Encoder> encoders = new ArrayList<>();
    for (int i = 0; i < STREAMS; i++) {
      encoders.add(compression.tryEncoder(ContentCoding.ZSTD, -1));
    }
    encoders.forEach(Encoder::close);
  }
}
