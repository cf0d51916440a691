package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.memory.hardening.BlockHistory;
import dev.weir.memory.hardening.Hardening;
import dev.weir.memory.hardening.Misuse;
import dev.weir.memory.hardening.Misuse.Kind;
import dev.weir.memory.hardening.StaleAccess;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the JDK's exceptions do not say. */
class StaleAccessTest {
  private final Pool pool =
      Pool.create(PoolOptions.withLimit(4 << 20).withName("pool").withHardening(Hardening.full()));

  @AfterEach
  void close() {
    pool.close();
    assertThat(pool.liveBlockBytes()).isZero();
  }

  private static void releaseHere(Block block) {
    block.release();
  }

  private static IllegalStateException refused(ByteBuffer kept) {
    return catchThrowableOfType(IllegalStateException.class, () -> kept.get(0));
  }

  @Test
  void theJdksExceptionIsGivenBothStacks() {
    Block block = pool.allocate(100);
    ByteBuffer kept = block.segment().asSlice(50).asByteBuffer().slice(10, 5).asReadOnlyBuffer();
    releaseHere(block);
    IllegalStateException failure = refused(kept);
    assertThat(failure).hasMessage("Already closed").hasNoCause();

    assertThat(StaleAccess.explain(failure, MemorySegment.ofBuffer(kept))).isSameAs(failure);
    assertThat(failure.getCause().getStackTrace()[0].getMethodName()).isEqualTo("releaseHere");
    assertThat(failure.getCause().getCause().getStackTrace()[0].getMethodName())
        .isEqualTo("theJdksExceptionIsGivenBothStacks");
    assertThat(pool.misuses().counts()).containsOnlyKeys(Kind.USE_AFTER_RELEASE);
    Misuse told = pool.misuses().latest().getFirst();
    assertThat(told.released().getFirst().getMethodName()).isEqualTo("releaseHere");
  }

  @Test
  void anExceptionWithACauseKeepsIt() {
    Block block = pool.allocate(100);
    MemorySegment kept = block.segment();
    releaseHere(block);
    IllegalStateException failure = new IllegalStateException("other", new AssertionError());
    StaleAccess.explain(failure, kept);
    assertThat(failure).hasCauseInstanceOf(AssertionError.class);
    assertThat(failure.getSuppressed()[0]).hasMessageStartingWith("released by thread");
  }

  @Test
  void thePoolNeedNotBeKnown() {
    Block block = pool.allocate(100);
    ByteBuffer kept = block.segment().asByteBuffer();
    long address = block.address();
    assertThat(StaleAccess.historyOf(kept)).as("live").isNull();
    releaseHere(block);

    BlockHistory history = StaleAccess.historyOf(kept);
    assertThat(history).isNotNull();
    assertThat(history.releaseStack().getFirst().getMethodName()).isEqualTo("releaseHere");
    assertThat(StaleAccess.historyOf(MemorySegment.ofAddress(address))).isSameAs(history);
  }

  @Test
  void aBlockThatLayThereBeforeIsNotTakenForTheLastOne() {
    Block first = pool.allocate(100);
    MemorySegment stale = first.segment();
    first.release();
    pool.trim();
    Block second = pool.allocate(100);
    assertThat(second.address()).isEqualTo(stale.address());
    releaseHere(second);

    assertThatIllegalStateException().isThrownBy(() -> stale.get(ValueLayout.JAVA_BYTE, 0));
    assertThat(pool.historyOf(stale)).isNull();
    assertThat(StaleAccess.historyOf(stale)).isNull();
    IllegalStateException failure = new IllegalStateException("Already closed");
    assertThat(StaleAccess.explain(failure, stale)).hasNoCause();
    assertThat(pool.misuses().total()).isZero();
  }

  @Test
  void whatIsNotHardenedHasNoHistory() {
    assertThat(StaleAccess.historyOf(ByteBuffer.allocate(8))).isNull();
    assertThat(StaleAccess.historyOf(ByteBuffer.allocateDirect(8))).isNull();
    assertThat(StaleAccess.historyOf(MemorySegment.NULL)).isNull();
  }
}
