package dev.weir.netty.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;

/**
 * A body of unknown length: grows by admitted steps, so that a short one takes little and a long
 * one few steps. Nothing is copied on growth: a body of several steps is handed over as a composite
 * of them.
 */
final class GrowingBody implements RequestBody {
  /** Steps double up to this multiple of the first: 1 MiB by default. */
  private static final int LARGEST_STEP = 16;

  private final ByteBufAllocator allocator;
  private final int maximumBytes;
  private final int firstStepBytes;
  private final List<ByteBuf> steps = new ArrayList<>();
  private int filling;
  private int lengthBytes;
  private int capacityBytes;

  /** The allocator makes the composite, and no memory. */
  GrowingBody(ByteBufAllocator allocator, int maximumBytes, int firstStepBytes) {
    this.allocator = allocator;
    this.maximumBytes = maximumBytes;
    this.firstStepBytes = firstStepBytes;
  }

  @Override
  public int lengthBytes() {
    return lengthBytes;
  }

  @Override
  public int bytesToAdmit(int moreBytes) throws RefusedRequestException {
    if (moreBytes > maximumBytes - lengthBytes) {
      throw RefusedRequestException.tooLarge(maximumBytes);
    }
    int missingBytes = moreBytes - (capacityBytes - lengthBytes);
    if (missingBytes <= 0 && capacityBytes > 0) {
      return 0;
    }
    long stepBytes =
        Math.clamp(capacityBytes, firstStepBytes, (long) LARGEST_STEP * firstStepBytes);
    return (int) Math.min(Math.max(stepBytes, missingBytes), maximumBytes - capacityBytes);
  }

  @Override
  public void extend(ByteBuf admitted) {
    steps.add(admitted);
    capacityBytes += admitted.capacity();
  }

  @Override
  public void append(ByteBuf content) {
    lengthBytes += content.readableBytes();
    while (content.isReadable()) {
      ByteBuf step = steps.get(filling);
      step.writeBytes(content, Math.min(content.readableBytes(), step.writableBytes()));
      if (!step.isWritable()) {
        filling++;
      }
    }
  }

  @Override
  public ByteBuf finish() {
    return takeGathered();
  }

  @Override
  public ByteBuf takeGathered() {
    if (lengthBytes == 0) {
      release();
      return Unpooled.EMPTY_BUFFER;
    }
    if (steps.size() == 1) {
      return steps.removeFirst();
    }
    CompositeByteBuf whole = allocator.compositeDirectBuffer(Integer.MAX_VALUE);
    whole.addComponents(/* increaseWriterIndex= */ true, steps);
    steps.clear();
    return whole;
  }

  @Override
  public void release() {
    steps.forEach(ByteBuf::release);
    steps.clear();
  }
}
