package dev.weir.netty.http;

import dev.weir.netty.flow.Permit;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * A body of unknown length: one contiguous buffer that grows by admitted steps, so that a short
 * body takes little and a long one few steps. It grows where it lies; where it cannot, it moves to
 * a buffer of twice the length, which is admitted as a whole while the old one is held.
 */
final class GrowingBody implements RequestBody {
  /** Steps double up to this multiple of the first: 1 MiB by default. */
  private static final int LARGEST_STEP = 16;

  private final int maximumBytes;
  private final int firstStepBytes;

  /** Without capacity before the first step. */
  private ByteBuf buffer = Unpooled.EMPTY_BUFFER;

  /** Whether the buffer could not grow where it lies. */
  private boolean moves;

  GrowingBody(int maximumBytes, int firstStepBytes) {
    this.maximumBytes = maximumBytes;
    this.firstStepBytes = Math.min(firstStepBytes, maximumBytes);
  }

  @Override
  public int lengthBytes() {
    return buffer.writerIndex();
  }

  @Override
  public int bytesToAdmit(int moreBytes) throws RefusedRequestException {
    if (moreBytes > maximumBytes - lengthBytes()) {
      throw RefusedRequestException.tooLarge(maximumBytes);
    }
    int capacity = buffer.capacity();
    int neededBytes = lengthBytes() + moreBytes;
    if (neededBytes <= capacity && capacity > 0) {
      return 0;
    }
    if (moves) {
      return (int) Math.min(Math.max(2L * capacity, neededBytes), maximumBytes);
    }
    long stepBytes = Math.clamp(capacity, firstStepBytes, (long) LARGEST_STEP * firstStepBytes);
    return (int) Math.min(Math.max(stepBytes, neededBytes - capacity), maximumBytes - capacity);
  }

  @Override
  public void extend(Permit permit, int bytes) {
    if (buffer.capacity() == 0 || moves) {
      ByteBuf longer = permit.allocateGrowing(bytes, maximumBytes);
      longer.writeBytes(buffer);
      buffer.release();
      buffer = longer;
      moves = false;
    } else {
      moves = !permit.tryGrow(buffer, buffer.capacity() + bytes);
    }
  }

  @Override
  public void append(ByteBuf content) {
    buffer.writeBytes(content);
  }

  @Override
  public ByteBuf finish() {
    if (lengthBytes() == 0) {
      release();
    }
    return takeGathered();
  }

  @Override
  public ByteBuf takeGathered() {
    ByteBuf gathered = buffer;
    buffer = Unpooled.EMPTY_BUFFER;
    return gathered;
  }

  @Override
  public void release() {
    takeGathered().release();
  }
}
