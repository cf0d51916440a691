package dev.weir.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2FrameTypes;
import org.jspecify.annotations.Nullable;

/**
 * Hands each DATA frame of HTTP/2 on in the parts that it comes in, each a frame of its own. The
 * codec behind it gathers a frame until it is complete, which takes up to 32 KiB: a full pool has
 * no such buffer, and the connection would end with all its streams.
 *
 * <p>The last part says whether the stream ends. Frames with padding, which counts for the window
 * without being data, and all others pass as they are.
 */
final class DataInParts extends ChannelInboundHandlerAdapter {
  private static final int FLAGS_INDEX = 4;
  private static final int END_STREAM = 1;
  private static final int PADDED = 8;

  /** The beginning of a head whose end has not come, or a whole one. */
  private final byte[] head = new byte[Http2CodecUtil.FRAME_HEADER_LENGTH];

  private int headBytes;

  /** Of the preface at first, or of a frame that passes as it is. */
  private int passBytes = Http2CodecUtil.connectionPrefaceBuf().readableBytes();

  /** Of the DATA frame whose head is kept, and has to come before each of its parts. */
  private int leftBytes;

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    boolean passedOn = false;
    try {
      ByteBuf first = begin(ctx, bytes);
      if (first != null) {
        ctx.fireChannelRead(first);
      }
      if (headBytes == 0) {
        walk(bytes);
      }
      passedOn = true;
    } finally {
      if (!passedOn) {
        bytes.release();
      }
    }
    if (bytes.isReadable()) {
      ctx.fireChannelRead(bytes);
    } else {
      bytes.release();
    }
  }

  /**
   * Goes on with the frame that the last bytes ended in.
   *
   * @return the head that comes before the bytes, if one does
   */
  private @Nullable ByteBuf begin(ChannelHandlerContext ctx, ByteBuf bytes) {
    if (headBytes > 0) {
      int more = Math.min(head.length - headBytes, bytes.readableBytes());
      bytes.readBytes(head, headBytes, more);
      headBytes += more;
      if (headBytes < head.length) {
        return null;
      }
      headBytes = 0;
      if (!isDivisible()) {
        passBytes = length();
        return ctx.alloc().directBuffer(head.length).writeBytes(head);
      }
      leftBytes = length();
    }
    int part = Math.min(leftBytes, bytes.readableBytes());
    if (part == 0) {
      return null;
    }
    ByteBuf first = ctx.alloc().directBuffer(head.length).writeBytes(head);
    describe(first, 0, part, /* isLast= */ part == leftBytes);
    leftBytes -= part;
    passBytes = part;
    return first;
  }

  /** Looks at all frames that begin in the bytes; what is kept for the next is cut off. */
  private void walk(ByteBuf bytes) {
    int at = bytes.readerIndex();
    int end = bytes.writerIndex();
    while (passBytes <= end - at) {
      at += passBytes;
      passBytes = 0;
      int available = end - at - head.length;
      if (available < 0) {
        headBytes = end - at;
        bytes.getBytes(at, head, 0, headBytes);
        bytes.writerIndex(at);
        return;
      }
      bytes.getBytes(at, head);
      if (available >= length() || !isDivisible()) {
        passBytes = head.length + length();
      } else {
        leftBytes = length() - available;
        if (available == 0) {
          bytes.writerIndex(at);
        } else {
          describe(bytes, at, available, /* isLast= */ false);
        }
        return;
      }
    }
    passBytes -= end - at;
  }

  /** Whether the kept head is that of data, and nothing else. */
  private boolean isDivisible() {
    return head[FLAGS_INDEX - 1] == Http2FrameTypes.DATA
        && (head[FLAGS_INDEX] & PADDED) == 0
        && length() > 0
        && length() <= Http2CodecUtil.DEFAULT_MAX_FRAME_SIZE;
  }

  private int length() {
    return (head[0] & 0xff) << 16 | (head[1] & 0xff) << 8 | (head[2] & 0xff);
  }

  /** Turns a copy of the kept head into that of a part. */
  private void describe(ByteBuf target, int at, int partBytes, boolean isLast) {
    target.setMedium(at, partBytes);
    int flags = head[FLAGS_INDEX];
    target.setByte(at + FLAGS_INDEX, isLast ? flags : flags & ~END_STREAM);
  }
}
