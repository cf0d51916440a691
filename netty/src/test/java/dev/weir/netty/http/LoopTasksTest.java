package dev.weir.netty.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.flow.ByteCountAdmission;
import dev.weir.netty.flow.Permit;
import dev.weir.netty.loop.LoopTasks;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.DefaultEventLoop;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.concurrent.Future;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is ready for an event loop that takes no task gets there later, or goes back. */
@Timeout(120)
class LoopTasksTest {
  private static final int BYTES = 100;
  private static final Duration LONG = Duration.ofMinutes(10);

  private final ByteCountAdmission admission =
      new ByteCountAdmission(BYTES, UnpooledByteBufAllocator.DEFAULT);
  private final RefusingExecutor loop = new RefusingExecutor();
  private final BlockingQueue<Permit> permits = new LinkedBlockingQueue<>();

  @AfterEach
  void nothingIsPromised() {
    assertThat(admission.availableBytes()).isEqualTo(BYTES);
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }

  /** The first to listen for its end finds no Java heap, when the loop has the task already. */
  @Test
  void aTaskThatALoopHasTakenIsNotRunTwice() throws Exception {
    AtomicInteger listening = new AtomicInteger();
    AtomicBoolean ends = new AtomicBoolean();
    DefaultEventLoop ending =
        new DefaultEventLoop() {
          @Override
          public boolean isShuttingDown() {
            return ends.get() ? super.isShuttingDown() : !inEventLoop();
          }

          @Override
          public Future<?> terminationFuture() {
            if (listening.getAndIncrement() == 0) {
              throw new InternalError("made by the test");
            }
            return super.terminationFuture();
          }
        };
    AtomicInteger runs = new AtomicInteger();
    CountDownLatch busy = new CountDownLatch(1);
    ending.execute(() -> {
      try {
        busy.await();
      } catch (InterruptedException interrupted) {
        throw new AssertionError(interrupted);
      }
    });
    assertThat(LoopTasks.tryBring(ending, runs::incrementAndGet)).isTrue();
    while (listening.get() < 2) {
      Thread.onSpinWait();
    }
    busy.countDown();
    ending.submit(() -> {}).sync();
    assertThat(runs).hasValue(1);
    ends.set(true);
    ending.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }

  @Test
  void aPermitGetsToALoopThatTakesTasksAgain() throws Exception {
    Permit all = admission.admit(BYTES, LONG).toCompletableFuture().join();
    IncomingRequest request = waiting();
    loop.refuse(3);
    all.close();
    permits.take().close();
    assertThat(loop.toRefuse()).isZero();
    request.drop();
  }

  @Test
  void aPermitThatDoesNotGetToItsLoopGoesBackWithTheRequest() throws Exception {
    Permit all = admission.admit(BYTES, LONG).toCompletableFuture().join();
    IncomingRequest request = waiting();
    loop.refuse(Integer.MAX_VALUE);
    all.close();
    assertThat(admission.availableBytes()).isZero();
    request.drop();
    assertThat(admission.availableBytes()).isEqualTo(BYTES);
    loop.refuse(0);
  }

  @Test
  void aPermitThatComesWhenItsLoopHasEndedGoesBack() throws Exception {
    Permit all = admission.admit(BYTES, LONG).toCompletableFuture().join();
    waiting();
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    all.close();
    assertThat(admission.availableBytes()).isEqualTo(BYTES);
  }

  @Test
  void theEndOfAWriteGetsToALoopThatTakesTasksAgain(@TempDir Path folder) throws Exception {
    Spill spill = new Spill(folder, 1 << 20, 1, LONG);
    SpilledBody body =
        SpilledBody.of(spill, UnpooledByteBufAllocator.DEFAULT, SpilledBody.UNKNOWN, 1 << 20);
    assertThat(body.bytesToAdmit(BYTES)).isZero();
    CompletableFuture<Optional<Throwable>> end = new CompletableFuture<>();
    loop.refuse(3);
    body.write(
        Unpooled.buffer(BYTES).writeZero(BYTES),
        /* last= */ true,
        loop,
        failure -> end.complete(Optional.ofNullable(failure)));
    assertThat(end.get()).isEmpty();
    ByteBuf whole = body.finish();
    assertThat(whole.readableBytes()).isEqualTo(BYTES);
    whole.release();
    while (spill.usedBytes() != 0 && !Thread.currentThread().isInterrupted()) {
      Thread.onSpinWait();
    }
    assertThat(spill.usedBytes()).isZero();
  }

  /** A request that waits for all there is. */
  private IncomingRequest waiting() throws Exception {
    HttpRequest head = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/");
    head.headers().set(HttpHeaderNames.CONTENT_LENGTH, BYTES);
    IncomingRequest request =
        IncomingRequest.of(
            head, AggregatorOptions.upTo(BYTES), admission, new StallWatch(loop, LONG, () -> {}));
    request.admit(
        admission,
        BYTES,
        LONG,
        loop,
        new IncomingRequest.AdmissionListener() {
          @Override
          public void admitted(Permit permit) {
            permits.add(permit);
          }

          @Override
          public void notAdmitted(Throwable failure) {
            throw new AssertionError(failure);
          }
        });
    return request;
  }
}
