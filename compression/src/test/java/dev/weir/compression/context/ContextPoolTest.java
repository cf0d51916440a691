package dev.weir.compression.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ContextPoolTest {
  private static final int BYTES = 1_000;

  private static final class Counted implements Context {
    private int destroyed;

    @Override
    public long bytes() {
      return BYTES;
    }

    @Override
    public void destroy() {
      destroyed++;
    }
  }

  /** A kind that a map fails at, as it does at anything when the Java heap is full. */
  private static final class Kind {
    private boolean failing;

    @Override
    public boolean equals(Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      if (failing) {
        throw new OutOfMemoryError("made to fail");
      }
      return 1;
    }
  }

  @Test
  void aContextThatCannotRestIsDestroyed() {
    try (ContextPool<Kind, Counted> pool = new ContextPool<>(2 * BYTES, kind -> new Counted())) {
      Kind kind = new Kind();
      Counted lost = pool.tryTake(kind);
      kind.failing = true;
      assertThatThrownBy(() -> pool.giveBack(kind, lost)).isInstanceOf(OutOfMemoryError.class);
      kind.failing = false;
      assertThat(lost.destroyed).isOne();
      assertThat(pool.idleBytes()).isZero();

      Counted kept = pool.tryTake(kind);
      pool.giveBack(kind, kept);
      assertThat(kept.destroyed).isZero();
      assertThat(pool.idleBytes()).isEqualTo(BYTES);
      assertThat(pool.tryTake(kind)).isSameAs(kept);
    }
  }
}
