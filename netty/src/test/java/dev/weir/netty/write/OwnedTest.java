package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.util.IllegalReferenceCountException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What else an {@link Owned} promises: once, nobody else's memory, nothing kept. */
class OwnedTest extends SocketThatTakesAll {
  @Test
  void aMessageIsGivenAwayOnce() {
    Owned owned = Owned.of(allocator.directBuffer(BYTES));
    owned.release();
    assertThat(catchThrowable(() -> owned.sendTo(channel)))
        .isInstanceOf(IllegalStateException.class);
    assertThat(pool.liveBlockBytes()).isZero();
  }

  @Test
  void aMessageThatCannotBeBuiltHoldsNothing() {
    ByteBuf buffer = allocator.directBuffer(BYTES);
    assertThat(
            catchThrowable(() ->
                Owned.build(parts -> {
                  parts.take(buffer);
                  throw new IllegalStateException("no frame");
                })))
        .hasMessage("no frame");
    assertThat(pool.liveBlockBytes()).isZero();
  }

  @Test
  void whoeverHoldsTheSameMemoryKeepsIt() throws Exception {
    ByteBuf cached = allocator.directBuffer(BYTES).writeZero(BYTES);
    for (int i = 0; i < 10; i++) {
      channel.pipeline().addFirst("odd", onWrite((message, promise) -> fail()));
      Owned.send(channel, cached.retainedDuplicate()).await();
      channel.pipeline().remove("odd");
      Owned.send(channel, cached.retainedSlice(0, 10)).sync();
      onLoop(() -> {});
      assertThat(cached.refCnt()).isEqualTo(1);
    }
    cached.release();
    assertThat(pool.liveBlockBytes()).isZero();
  }

  @Test
  void aKeptBufferOfAFailedWriteReadsNobodyElsesData() throws Exception {
    List<ByteBuf> kept = new ArrayList<>();
    channel
        .pipeline()
        .addLast(
            onWrite((message, promise) -> {
              kept.add(((ByteBuf) message).slice());
              fail();
            }));
    Owned.send(channel, allocator.directBuffer(BYTES).writeZero(BYTES)).await();
    // Whoever awaits a write may go on before its listeners do.
    onLoop(() -> {});
    assertThat(pool.liveBlockBytes()).isZero();
    ByteBuf other = allocator.directBuffer(BYTES).writeZero(BYTES);
    assertThat(catchThrowable(() -> kept.getFirst().getByte(0)))
        .isInstanceOf(IllegalReferenceCountException.class);
    assertThat(kept.getFirst().release()).isFalse();
    assertThat(other.refCnt()).isEqualTo(1);
    other.release();
  }

  @ParameterizedTest
  @EnumSource(
      value = SentMessage.class,
      names = {"BUFFER", "HTTP_CONTENT", "CUSTOM_HOLDER", "RECORD"})
  void whatIsGivenFromAnotherThreadCountsWhileTheLoopIsBusy(SentMessage kind) throws Exception {
    AtomicInteger seen = new AtomicInteger();
    channel
        .pipeline()
        .addLast(
            onWrite((message, promise) -> {
              seen.incrementAndGet();
              SentMessage.release(message);
              promise.setSuccess();
            }));
    CountDownLatch busy = new CountDownLatch(1);
    channel.eventLoop().execute(() -> await(busy));
    List<ChannelFuture> written = new ArrayList<>();
    int enough = channel.config().getWriteBufferHighWaterMark() / BYTES + 1;
    try {
      while (channel.isWritable() && written.size() < 2 * enough) {
        Owned owned = kind.own(allocator.directBuffer(BYTES).writeZero(BYTES));
        written.add(owned.writeTo(channel));
      }
      assertThat(written).hasSizeLessThanOrEqualTo(enough);
      assertThat(channel.bytesBeforeUnwritable()).isZero();
    } finally {
      busy.countDown();
    }
    onLoop(() -> {});
    onLoop(() -> {});
    assertThat(written).allMatch(ChannelFuture::isSuccess);
    assertThat(seen).hasValue(written.size());
    assertThat(channel.isWritable()).isTrue();
    assertThat(channel.bytesBeforeUnwritable())
        .isEqualTo(channel.config().getWriteBufferHighWaterMark() + 1L);
    assertThat(pool.liveBlockBytes()).isZero();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  @Test
  void cancelledWritesThatWereFlushedAreForgotten() throws Exception {
    for (int i = 0; i < 100; i++) {
      ChannelFuture written =
          Owned.of(allocator.directBuffer(BYTES).writeZero(BYTES)).writeTo(channel);
      onLoop(() -> {});
      assertThat(written.cancel(false)).isTrue();
      channel.flush();
      onLoop(() -> {});
    }
    assertThat(pool.liveBlockBytes()).isZero();
    int[] left = new int[2];
    onLoop(() -> {
      left[0] = OwnedWrites.of(channel).cancelledCount();
      left[1] = OwnedWrites.of(channel).openCount();
    });
    assertThat(left[0]).isEqualTo(1);
    assertThat(left[1]).isZero();
  }
}
