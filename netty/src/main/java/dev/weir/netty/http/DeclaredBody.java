package dev.weir.netty.http;

import dev.weir.netty.flow.Permit;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpResponseStatus;

/** A body whose length its request declared: one contiguous buffer of that length. */
final class DeclaredBody implements RequestBody {
  private final int declaredBytes;
  private ByteBuf buffer = Unpooled.EMPTY_BUFFER;

  DeclaredBody(int declaredBytes) {
    this.declaredBytes = declaredBytes;
  }

  int declaredBytes() {
    return declaredBytes;
  }

  static RefusedRequestException tooLong(int declaredBytes) {
    return new RefusedRequestException(
        HttpResponseStatus.BAD_REQUEST,
        "body longer than its Content-Length of " + declaredBytes + " bytes");
  }

  static RefusedRequestException tooShort(int lengthBytes, int declaredBytes) {
    return new RefusedRequestException(
        HttpResponseStatus.BAD_REQUEST,
        "body of " + lengthBytes + " bytes, Content-Length says " + declaredBytes);
  }

  @Override
  public int lengthBytes() {
    return buffer.writerIndex();
  }

  @Override
  public int heldBytes() {
    return buffer.capacity();
  }

  @Override
  public int bytesToAdmit(int moreBytes) throws RefusedRequestException {
    if (moreBytes > declaredBytes - lengthBytes()) {
      throw tooLong(declaredBytes);
    }
    return Math.max(0, declaredBytes - buffer.capacity());
  }

  @Override
  public void extend(Permit permit, int bytes) {
    buffer = permit.allocate(bytes);
  }

  @Override
  public void append(ByteBuf content) {
    buffer.writeBytes(content);
  }

  @Override
  public ByteBuf finish() throws RefusedRequestException {
    if (lengthBytes() != declaredBytes) {
      throw tooShort(lengthBytes(), declaredBytes);
    }
    ByteBuf whole = buffer;
    buffer = Unpooled.EMPTY_BUFFER;
    return whole;
  }

  @Override
  public ByteBuf takeGathered() {
    ByteBuf gathered = buffer;
    buffer = Unpooled.EMPTY_BUFFER;
    return gathered;
  }

  @Override
  public void release() {
    buffer.release();
    buffer = Unpooled.EMPTY_BUFFER;
  }
}
