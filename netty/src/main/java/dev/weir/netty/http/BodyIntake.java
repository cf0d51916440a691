package dev.weir.netty.http;

import dev.weir.netty.flow.Admission;
import dev.weir.netty.flow.Permit;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.LastHttpContent;
import org.jspecify.annotations.Nullable;

/**
 * Gets room for the bodies of requests: memory that is admitted, or a file for those that are large
 * or for which memory does not come. One for each channel, used on its event loop.
 */
final class BodyIntake {
  private final Admission admission;
  private final AggregatorOptions options;
  private final @Nullable Spill spill;
  private final Receiver receiver;

  /**
   * Makes room for {@code receiver}.
   *
   * @param spill where bodies go that memory is not for; null: they are refused
   */
  BodyIntake(
      Admission admission, AggregatorOptions options, @Nullable Spill spill, Receiver receiver) {
    this.admission = admission;
    this.options = options;
    this.spill = spill;
    this.receiver = receiver;
  }

  /** Whose requests these are. Hears nothing of a request that was dropped meanwhile. */
  interface Receiver {
    /** From now on nothing more can be taken in, until one of the others is called. */
    void waits();

    /**
     * There is room, or what was given is in the body.
     *
     * @param last what ended the body, if it is whole now
     */
    void ready(ChannelHandlerContext ctx, IncomingRequest current, @Nullable LastHttpContent last);

    /** There is none. */
    void refused(
        ChannelHandlerContext ctx, IncomingRequest current, RefusedRequestException refusal);
  }

  /** What admits bodies, and tells how much of one at most. */
  Admission admission() {
    return admission;
  }

  /**
   * Makes room for more of a body. The receiver may hear of it before this returns.
   *
   * @param allBytes what the body comes to, as far as that is known
   * @param bytesToAdmit what it needs of memory for that, more than 0
   * @throws RefusedRequestException if there is no room in files
   */
  void makeRoom(ChannelHandlerContext ctx, IncomingRequest current, long allBytes, int bytesToAdmit)
      throws RefusedRequestException {
    if (spill != null && allBytes > spill.thresholdBytes()) {
      moveToFile(ctx, current, spill);
    } else {
      admit(ctx, current, bytesToAdmit);
    }
  }

  private void admit(ChannelHandlerContext ctx, IncomingRequest current, int bytes) {
    receiver.waits();
    current.admit(
        admission,
        bytes,
        spill == null ? options.admissionDeadline() : spill.patience(),
        ctx.executor(),
        new IncomingRequest.AdmissionListener() {
          @Override
          public void admitted(Permit permit) {
            take(ctx, current, permit, bytes);
          }

          @Override
          public void notAdmitted(Throwable failure) {
            BodyIntake.this.notAdmitted(ctx, current, bytes, failure);
          }
        });
  }

  private void take(ChannelHandlerContext ctx, IncomingRequest current, Permit permit, int bytes) {
    try (permit) {
      current.body().extend(permit, bytes);
    } catch (RuntimeException | Error allocatorFailure) {
      notAdmitted(ctx, current, bytes, allocatorFailure);
      return;
    }
    current.asked();
    receiver.ready(ctx, current, /* last= */ null);
  }

  private void notAdmitted(
      ChannelHandlerContext ctx, IncomingRequest current, int bytes, Throwable failure) {
    RefusedRequestException refusal;
    if (spill == null || bytes > spill.maximumBytes()) {
      refusal = RefusedRequestException.notAdmitted(bytes, failure);
    } else {
      try {
        moveToFile(ctx, current, spill);
        return;
      } catch (RefusedRequestException notMoved) {
        refusal = notMoved;
      }
    }
    if (!current.isDropped()) {
      receiver.refused(ctx, current, refusal);
    }
  }

  /** Has the body go to a file, with what there is of it first. */
  private void moveToFile(ChannelHandlerContext ctx, IncomingRequest current, Spill to)
      throws RefusedRequestException {
    current.asked();
    SpilledBody spilled =
        SpilledBody.of(to, ctx.alloc(), current.declaredBytes(), options.maximumBytes());
    ByteBuf gathered = current.continueIn(spilled);
    try {
      spilled.bytesToAdmit(gathered.readableBytes());
    } catch (RefusedRequestException noRoom) {
      gathered.release();
      throw noRoom;
    }
    write(ctx, current, spilled, gathered, /* last= */ null);
  }

  /**
   * Writes a part of a body to its file, which is opened for the first and mapped with the last,
   * and releases it.
   */
  void write(
      ChannelHandlerContext ctx,
      IncomingRequest current,
      SpilledBody spilled,
      ByteBuf part,
      @Nullable LastHttpContent last) {
    receiver.waits();
    current.pause();
    spilled.write(
        part,
        /* last= */ last != null,
        ctx.executor(),
        failure -> written(ctx, current, last, failure));
  }

  private void written(
      ChannelHandlerContext ctx,
      IncomingRequest current,
      @Nullable LastHttpContent last,
      @Nullable Throwable failure) {
    if (current.isDropped()) {
      return;
    }
    current.unpause();
    if (failure == null) {
      receiver.ready(ctx, current, last);
      return;
    }
    receiver.refused(ctx, current, SpilledBody.failed(failure));
  }
}
