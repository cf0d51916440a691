package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

/** Writes that come while a channel, whose end was just seen by nobody, abandons all others. */
class OwnedWritesTest {
  /** A channel that another thread still takes for an open one. */
  private static final class StillOpen extends EmbeddedChannel {
    @Override
    public boolean isOpen() {
      return true;
    }
  }

  private final EmbeddedChannel channel = new StillOpen();
  private final MemoryRegion shared = new MemoryRegion(Unpooled.buffer(10).writeZero(10));

  @Test
  void aWriteThatIsCancelledBehindTheLastAbandonedOneIsNotKept() {
    OwnedWrites writes = OwnedWrites.of(channel);
    end();
    OwnedWrite late = new OwnedWrite(Owned.of(shared), channel, channel.newPromise());

    assertThat(writes.keep(late)).isFalse();
    assertThat(writes.keptCount()).isZero();
    shared.release();
  }

  @Test
  void aMessageThatOthersShareGoesBackWhereTheWriteComesTooLate() {
    OwnedWrites.of(channel);
    end();

    assertThat(Owned.send(channel, shared.retain()).isSuccess()).isFalse();
    assertThat(shared.refCnt()).as("the others' reference").isOne();
    shared.release();
  }

  private void end() {
    channel.close();
    channel.runPendingTasks();
  }
}
