package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A message that is written to many, and cannot be given a count of its own for each. */
class OwnedSharedTest {
  private final MemoryRegion shared = new MemoryRegion(Unpooled.buffer(10).writeZero(10));
  private final List<Object> queued = new ArrayList<>();

  private final EmbeddedChannel refusing =
      new EmbeddedChannel(
          new ChannelOutboundHandlerAdapter() {
            @Override
            public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
              ReferenceCountUtil.release(message);
              promise.setFailure(new IllegalStateException("made by the test"));
            }
          });

  private final EmbeddedChannel queueing =
      new EmbeddedChannel(
          new ChannelOutboundHandlerAdapter() {
            @Override
            public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
              queued.add(message);
            }
          });

  @Test
  void aWriteThatFailedLeavesTheReferencesOfOthers() {
    assertThat(Owned.send(refusing, shared.retain()).isSuccess()).isFalse();
    assertThat(shared.refCnt()).isOne();
    shared.retain(5);
    refusing.close();
    refusing.runPendingTasks();
    assertThat(shared.refCnt()).isEqualTo(6);
  }

  /** Those of others may have come while it was under way. */
  @Test
  void aWriteThatTheChannelEndsLeavesTheReferencesOfOthers() {
    ChannelFuture sent = Owned.send(queueing, shared.retain());
    shared.retain(5);
    ReferenceCountUtil.release(queued.getFirst());
    queueing.close();
    queueing.runPendingTasks();
    assertThat(sent.isDone()).isTrue();
    assertThat(shared.refCnt()).isEqualTo(6);
  }

  @Test
  void aWriteThatIsCancelledLeavesTheReferencesOfOthers() {
    assertThat(Owned.send(queueing, shared.retain()).cancel(false)).isTrue();
    shared.retain(5);
    ReferenceCountUtil.release(queued.getFirst());
    queueing.close();
    queueing.runPendingTasks();
    assertThat(shared.refCnt()).isEqualTo(6);
  }

  @Test
  void whatNoHandlerGetsGoesBack() {
    queueing.close();
    queueing.runPendingTasks();
    assertThat(Owned.send(queueing, shared.retain()).isSuccess()).isFalse();
    assertThat(shared.refCnt()).isOne();
    Owned.of(shared.retain()).release();
    assertThat(shared.refCnt()).isOne();
    assertThat(queued).isEmpty();
  }

  @Test
  void nothingIsLookedAfterForAsLongAsTheMessageIs() {
    for (int i = 0; i < 1_000; i++) {
      Owned.send(refusing, shared.retain());
      Owned.send(queueing, shared.retain()).cancel(false);
    }
    assertThat(OwnedWrites.of(refusing).keptCount()).isZero();
    assertThat(OwnedWrites.of(queueing).keptCount()).isLessThan(10);
  }
}
