package dev.weir.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Knows whether what a client has sent ends within a record of TLS: who decrypts keeps that to
 * itself until it is whole. Goes in front of it.
 */
final class RecordWatch extends ChannelInboundHandlerAdapter {
  /** What it is (1 byte), a version (2), the length of what follows (2). */
  private static final int HEAD_BYTES = 5;

  private static final int LENGTH_MASK = 0xffff;

  /** The last four bytes of the head that comes. */
  private int head;

  private int headBytes;

  /** What is missing of a record whose head has come. */
  private int missingBytes;

  boolean isWithinRecord() {
    return headBytes > 0 || missingBytes > 0;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    follow((ByteBuf) message);
    ctx.fireChannelRead(message);
  }

  private void follow(ByteBuf bytes) {
    int index = bytes.readerIndex();
    int end = bytes.writerIndex();
    while (index < end) {
      if (missingBytes > 0) {
        int there = Math.min(missingBytes, end - index);
        missingBytes -= there;
        index += there;
      } else {
        head = head << Byte.SIZE | bytes.getUnsignedByte(index++);
        if (++headBytes == HEAD_BYTES) {
          missingBytes = head & LENGTH_MASK;
          headBytes = 0;
        }
      }
    }
  }
}
