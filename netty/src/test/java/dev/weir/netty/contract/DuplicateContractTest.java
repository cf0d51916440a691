package dev.weir.netty.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.PoolUnderTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.DuplicatedByteBufTest;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Netty's test of duplicates, over duplicates of Weir's buffers. */
class DuplicateContractTest extends DuplicatedByteBufTest {
  @RegisterExtension final PoolUnderTest memory = new PoolUnderTest();

  @Override
  protected final ByteBuf newBuffer(int capacity, int maxCapacity) {
    ByteBuf whole = memory.allocator().directBuffer(capacity, maxCapacity);
    ByteBuf duplicate = duplicate(whole);
    assertThat(duplicate.writerIndex()).isEqualTo(whole.writerIndex());
    assertThat(duplicate.readerIndex()).isEqualTo(whole.readerIndex());
    return memory.releasedAtTheLatestAfter(duplicate);
  }

  /** A view of {@code whole}, which takes it over. */
  ByteBuf duplicate(ByteBuf whole) {
    return whole.duplicate();
  }
}
