package dev.weir.netty.http;

import dev.weir.netty.flow.Admission;
import dev.weir.netty.flow.Permit;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;

/**
 * A body of unknown length: grows by admitted steps, so that a short one takes little and a long
 * one few steps. Nothing is copied: the last buffer is lengthened where it lies, and where it
 * cannot be, the step becomes a buffer of its own. So a step needs room for itself only, and the
 * last one is cut to what the admission's limit leaves: a body that fits it is admitted, wherever
 * its memory comes from. More than one buffer is handed over as a composite.
 */
final class GrowingBody implements RequestBody {
  /** Steps double up to this multiple of the first: 1 MiB by default. */
  private static final int LARGEST_STEP = 16;

  private final int maximumBytes;
  private final int firstStepBytes;
  private final Admission admission;

  /** Full, but for those from {@link #filling} on. */
  private final ArrayList<ByteBuf> buffers = new ArrayList<>(1);

  /** Which of the buffers takes what comes next. */
  private int filling;

  private int lengthBytes;
  private int capacityBytes;

  /**
   * An empty body.
   *
   * @param admission tells the most that is admitted of any body, anew for each step
   */
  GrowingBody(int maximumBytes, int firstStepBytes, Admission admission) {
    this.maximumBytes = maximumBytes;
    this.firstStepBytes = Math.min(firstStepBytes, maximumBytes);
    this.admission = admission;
  }

  @Override
  public int lengthBytes() {
    return lengthBytes;
  }

  @Override
  public int heldBytes() {
    return capacityBytes;
  }

  @Override
  public int bytesToAdmit(int moreBytes) throws RefusedRequestException {
    if (moreBytes > maximumBytes - lengthBytes) {
      throw RefusedRequestException.tooLarge(maximumBytes);
    }
    int neededBytes = lengthBytes + moreBytes;
    int missingBytes = neededBytes - capacityBytes;
    if (missingBytes <= 0 && capacityBytes > 0) {
      return 0;
    }
    long limitBytes = admission.limitBytes();
    if (neededBytes > limitBytes) {
      // What can never be held is asked for as a whole, so that it is refused at once.
      return neededBytes;
    }
    long stepBytes =
        Math.clamp(capacityBytes, firstStepBytes, (long) LARGEST_STEP * firstStepBytes);
    long roomBytes = Math.min(maximumBytes, limitBytes) - capacityBytes;
    return (int) Math.min(Math.max(stepBytes, missingBytes), roomBytes);
  }

  @Override
  public void extend(Permit permit, int bytes) {
    if (!tryLengthenLast(permit, bytes)) {
      buffers.add(permit.allocateGrowing(bytes, maximumBytes - capacityBytes));
    }
    capacityBytes += bytes;
  }

  private boolean tryLengthenLast(Permit permit, int bytes) {
    return !buffers.isEmpty()
        && permit.tryGrow(buffers.getLast(), buffers.getLast().capacity() + bytes);
  }

  @Override
  public void append(ByteBuf content) {
    lengthBytes += content.readableBytes();
    while (content.isReadable()) {
      ByteBuf buffer = buffers.get(filling);
      buffer.writeBytes(content, Math.min(content.readableBytes(), writableBytes(buffer)));
      if (content.isReadable()) {
        filling++;
      }
    }
  }

  private static int writableBytes(ByteBuf buffer) {
    return buffer.capacity() - buffer.writerIndex();
  }

  @Override
  public ByteBuf finish() {
    if (lengthBytes == 0) {
      release();
    }
    return takeGathered();
  }

  @Override
  public ByteBuf takeGathered() {
    if (buffers.isEmpty()) {
      return Unpooled.EMPTY_BUFFER;
    }
    if (buffers.size() == 1) {
      return buffers.removeFirst();
    }
    CompositeByteBuf whole = buffers.getFirst().alloc().compositeDirectBuffer(Integer.MAX_VALUE);
    while (!buffers.isEmpty()) {
      whole.addComponent(/* increaseWriterIndex= */ true, buffers.removeFirst());
    }
    return whole;
  }

  @Override
  public void release() {
    buffers.forEach(ByteBuf::release);
    buffers.clear();
  }
}
