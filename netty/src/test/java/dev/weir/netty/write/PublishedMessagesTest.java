package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultEventLoop;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Flow;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a publisher has told does not stay on its way to an event loop that takes no tasks. */
@Timeout(120)
class PublishedMessagesTest {
  private static final Flow.Publisher<Object> SILENT = subscriber -> {};

  private final RefusingLoop loop = new RefusingLoop();
  private final PublishedMessages messages = new PublishedMessages(loop, SILENT);

  private static final class RefusingLoop extends DefaultEventLoop {
    final AtomicInteger refused = new AtomicInteger();
    private volatile boolean refuses;

    @Override
    public void execute(Runnable task) {
      if (refuses) {
        refused.incrementAndGet();
        throw new RejectedExecutionException("made by the test");
      }
      super.execute(task);
    }
  }

  @AfterEach
  void end() {
    loop.refuses = false;
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }

  @Test
  void whatIsOnItsWayAsTheChannelClosesIsReleased() {
    loop.refuses = true;
    ByteBuf message = Unpooled.directBuffer(1).writeByte(1);
    messages.onNext(message);
    assertThat(message.refCnt()).isEqualTo(1);
    messages.stopped(new CancellationException());
    assertThat(message.refCnt()).isZero();
  }

  @Test
  void whatALoopRefusesManyTimesIsHeardInTheEnd() {
    messages.stopped(new CancellationException());
    loop.refuses = true;
    ByteBuf message = Unpooled.directBuffer(1).writeByte(1);
    messages.onNext(message);
    while (loop.refused.get() < 5) {
      Thread.onSpinWait();
    }
    assertThat(message.refCnt()).isEqualTo(1);
    loop.refuses = false;
    while (message.refCnt() != 0) {
      Thread.onSpinWait();
    }
  }
}
