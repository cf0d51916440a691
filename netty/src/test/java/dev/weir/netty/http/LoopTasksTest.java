package dev.weir.netty.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.flow.ByteCountAdmission;
import dev.weir.netty.flow.Permit;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is ready for an event loop that takes no task goes back. */
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

  @Test
  void aPermitThatALoopTakesNoTaskForGoesBack() throws Exception {
    Permit all = admission.admit(BYTES, LONG).toCompletableFuture().join();
    IncomingRequest request = waiting();
    loop.refuse(1);
    all.close();
    assertThat(loop.toRefuse()).isZero();
    assertThat(admission.availableBytes()).isEqualTo(BYTES);
    request.drop();
  }

  @Test
  void aPermitThatComesWhenItsLoopHasEndedGoesBack() throws Exception {
    Permit all = admission.admit(BYTES, LONG).toCompletableFuture().join();
    waiting();
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    all.close();
    assertThat(admission.availableBytes()).isEqualTo(BYTES);
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
