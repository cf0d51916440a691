package dev.weir.compression.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class ContextPoolTest {
  private static final int BYTES = 1_000;

  private static final class Counted implements Context {
    private int destroyed;

    /** What happens while it is put down: asking for its bytes comes after the look at the pool. */
    private Runnable onBytes = () -> {};

    private Runnable onDestroy = () -> {};

    @Override
    public long bytes() {
      Runnable once = onBytes;
      onBytes = () -> {};
      once.run();
      return BYTES;
    }

    @Override
    public void destroy() {
      destroyed++;
      onDestroy.run();
    }

    Counted failing() {
      onDestroy =
          () -> {
            throw new IllegalStateException("made to fail");
          };
      return this;
    }
  }

  /** A kind that a map fails at, as it does at anything when the Java heap is full. */
  private static final class Kind {
    private final int hash;
    private boolean failing;

    Kind() {
      this(1);
    }

    /** Shelves are emptied in the order of small hashes. */
    Kind(int hash) {
      this.hash = hash;
    }

    @Override
    public boolean equals(Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      if (failing) {
        throw new OutOfMemoryError("made to fail");
      }
      return hash;
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

  @Test
  void whatIsPutDownWhileThePoolClosesIsDestroyedOnce() {
    ContextPool<Kind, Counted> pool = new ContextPool<>(2 * BYTES, kind -> new Counted());
    Counted late = new Counted();
    late.onBytes = pool::close;
    pool.giveBack(new Kind(), late);
    assertThat(late.destroyed).isOne();
    assertThat(pool.idleBytes()).isZero();
    pool.close();
    assertThat(late.destroyed).isOne();
  }

  @Test
  void whatRestsIsDestroyedWhereOthersFailToBe() {
    ContextPool<Kind, Counted> pool = new ContextPool<>(4 * BYTES, kind -> new Counted());
    List<Counted> resting =
        List.of(new Counted().failing(), new Counted(), new Counted().failing(), new Counted());
    for (int i = 0; i < resting.size(); i++) {
      pool.giveBack(new Kind(i / 2), resting.get(i));
    }
    assertThatThrownBy(pool::close)
        .isInstanceOf(IllegalStateException.class)
        .satisfies(first -> assertThat(first.getSuppressed()).hasSize(1));
    assertThat(resting).allMatch(context -> context.destroyed == 1);
    assertThat(pool.idleBytes()).isZero();
    pool.close();
    assertThat(resting).allMatch(context -> context.destroyed == 1);
  }

  /** Or else it is found, and used, by who has looked at the pool before it was closed. */
  @Test
  void whatIsPutDownWhileThePoolFailsToCloseIsDestroyedOnce() {
    ContextPool<Kind, Counted> pool = new ContextPool<>(3 * BYTES, kind -> new Counted());
    Counted first = new Counted().failing();
    Counted second = new Counted().failing();
    pool.giveBack(new Kind(1), first);
    pool.giveBack(new Kind(1), second);
    Counted late = new Counted();
    late.onBytes = () -> assertThatThrownBy(pool::close).isInstanceOf(IllegalStateException.class);
    pool.giveBack(new Kind(2), late);
    assertThat(first.destroyed).isOne();
    assertThat(second.destroyed).isOne();
    assertThat(late.destroyed).isOne();
    assertThat(pool.idleBytes()).isZero();
    pool.close();
    assertThat(late.destroyed).isOne();
  }
}
