package dev.weir.netty.http;

import dev.weir.netty.flow.Admission;
import dev.weir.netty.flow.Permit;
import dev.weir.netty.loop.LoopTasks;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One request on its way in: its head, its body, and the admission it waits for, if it does. Used
 * on one event loop; ends with {@link #finish} or {@link #drop}.
 */
final class IncomingRequest {
  private final HttpRequest head;
  private RequestBody body;
  private final StallWatch stallWatch;
  private @Nullable CompletableFuture<Permit> pendingAdmission;
  private boolean dropped;

  private IncomingRequest(HttpRequest head, RequestBody body, StallWatch stallWatch) {
    this.head = head;
    this.body = body;
    this.stallWatch = stallWatch;
  }

  /** Hears how an admission ended, on the event loop; nothing if the request was dropped before. */
  interface AdmissionListener {
    /** The permit is the listener's to close. */
    void admitted(Permit permit);

    void notAdmitted(Throwable failure);
  }

  /**
   * Looks at what a head declares.
   *
   * @param admission tells the most that is admitted of a body
   * @throws RefusedRequestException if the body is too large, its length or expectation makes no
   *     sense, or it is encoded in a way that nobody undoes
   */
  static IncomingRequest of(
      HttpRequest head, AggregatorOptions options, Admission admission, StallWatch stallWatch)
      throws RefusedRequestException {
    String expectation = head.headers().get(HttpHeaderNames.EXPECT);
    if (expectation != null && !HttpHeaderValues.CONTINUE.contentEqualsIgnoreCase(expectation)) {
      throw new RefusedRequestException(
          HttpResponseStatus.EXPECTATION_FAILED, "only 'Expect: 100-continue' can be met");
    }
    if (!TransferCodings.areUndone(head.headers())) {
      throw new RefusedRequestException(
          HttpResponseStatus.NOT_IMPLEMENTED,
          "the only transfer coding that is understood is chunked");
    }
    if (HttpUtil.isTransferEncodingChunked(head)) {
      return new IncomingRequest(
          head,
          new GrowingBody(options.maximumBytes(), options.stepBytes(), admission),
          stallWatch);
    }
    long declaredBytes = declaredBytes(head);
    if (declaredBytes > options.maximumBytes()) {
      throw RefusedRequestException.tooLarge(options.maximumBytes());
    }
    return new IncomingRequest(head, new DeclaredBody((int) declaredBytes), stallWatch);
  }

  private static long declaredBytes(HttpRequest head) throws RefusedRequestException {
    try {
      long declaredBytes = HttpUtil.getContentLength(head, 0L);
      if (declaredBytes >= 0) {
        return declaredBytes;
      }
    } catch (NumberFormatException notANumber) {
      // Refused below, like a negative one.
    }
    throw new RefusedRequestException(
        HttpResponseStatus.BAD_REQUEST, "Content-Length is not a number of bytes");
  }

  RequestBody body() {
    return body;
  }

  /** The length that the request declares, or {@link SpilledBody#UNKNOWN}. */
  int declaredBytes() {
    return body instanceof DeclaredBody declared ? declared.declaredBytes() : SpilledBody.UNKNOWN;
  }

  /**
   * Has the rest of the body gather elsewhere.
   *
   * @return what has been gathered before, which goes there first; empty if nothing was
   */
  ByteBuf continueIn(RequestBody other) {
    ByteBuf gathered = body.takeGathered();
    body.release();
    body = other;
    return gathered;
  }

  /** Notes that the client has been asked for its body, or for more of it. */
  void asked() {
    stallWatch.restart();
  }

  /** Notes that so many bytes of the body have come. */
  void received(int bytes) {
    stallWatch.received(bytes, body.heldBytes());
  }

  /** Notes that the client is not read from for a while, which is no fault of its own. */
  void pause() {
    stallWatch.pause();
  }

  /** Ends a pause. */
  void unpause() {
    stallWatch.unpause();
  }

  /**
   * Watches for stalls from now on. Costs a timer, so only once a body keeps the channel waiting.
   */
  void watch() {
    stallWatch.watch();
  }

  /** Whether {@code 100 Continue} is due; at most once {@code true}. */
  boolean takeContinueExpectation() {
    boolean expected = HttpUtil.is100ContinueExpected(head);
    HttpUtil.set100ContinueExpected(head, false);
    return expected;
  }

  /** Asks for {@code bytes}. The listener may be called before this returns. */
  void admit(
      Admission admission,
      int bytes,
      Duration deadline,
      EventExecutor executor,
      AdmissionListener listener) {
    stallWatch.stop();
    CompletableFuture<Permit> admitted;
    try {
      admitted = admission.admit(bytes, deadline).toCompletableFuture();
    } catch (RuntimeException | Error admissionFailure) {
      listener.notAdmitted(admissionFailure);
      return;
    }
    pendingAdmission = admitted;
    if (admitted.isDone()) {
      admitted.whenComplete((permit, failure) -> settle(permit, failure, listener));
    } else {
      admitted.whenComplete((permit, failure) ->
          LoopTasks.bring(executor, new Settlement(permit, failure, listener)));
    }
  }

  /** The end of an admission on its way to the event loop. */
  private final class Settlement implements LoopTasks.Task {
    private final @Nullable Permit permit;
    private final @Nullable Throwable failure;
    private final AdmissionListener listener;

    Settlement(@Nullable Permit permit, @Nullable Throwable failure, AdmissionListener listener) {
      this.permit = permit;
      this.failure = failure;
      this.listener = listener;
    }

    @Override
    public void run() {
      settle(permit, failure, listener);
    }

    @Override
    public void lost() {
      if (permit != null) {
        permit.close();
      }
    }
  }

  private void settle(
      @Nullable Permit permit, @Nullable Throwable failure, AdmissionListener listener) {
    if (pendingAdmission == null) {
      // Dropped while the permit was on its way.
      if (permit != null) {
        permit.close();
      }
      return;
    }
    pendingAdmission = null;
    if (permit != null) {
      listener.admitted(permit);
    } else {
      listener.notAdmitted(Objects.requireNonNull(failure));
    }
  }

  /**
   * Makes the whole request.
   *
   * @throws RefusedRequestException if bytes are missing; the caller still has to {@link #drop}
   */
  FullHttpRequest finish(HttpHeaders trailers) throws RefusedRequestException {
    ByteBuf content = body.finish();
    stallWatch.stop();
    FullHttpRequest whole =
        new DefaultFullHttpRequest(
            head.protocolVersion(), head.method(), head.uri(), content, head.headers(), trailers);
    HttpUtil.setTransferEncodingChunked(whole, false);
    // Also where there is one: beside chunks a codec may have left another.
    HttpUtil.setContentLength(whole, content.readableBytes());
    return whole;
  }

  /** Whether {@link #drop} has been called: nobody waits for this request any more. */
  boolean isDropped() {
    return dropped;
  }

  /** Releases the body, and leaves the admission queue or gives back the permit on its way. */
  void drop() {
    dropped = true;
    CompletableFuture<Permit> pending = pendingAdmission;
    pendingAdmission = null;
    stallWatch.stop();
    if (pending != null) {
      Admission.giveUp(pending);
    }
    body.release();
  }
}
