package dev.weir.netty.flow;

import dev.weir.netty.refusal.MemoryRefusals;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DatagramPacket;

/**
 * Copies what fills little of its receive buffer into a buffer that fits, and releases the receive
 * buffer, which the next read takes again. For channels with large receive buffers of a fixed size
 * whose handlers keep what they get: a buffer is charged and counted with its capacity, whatever is
 * written into it.
 *
 * <p>It stands first in the pipeline; with TLS behind the {@code SslHandler}. It takes buffers, and
 * {@link DatagramPacket}s of buffers; everything else passes. Where there is no memory for the
 * copy, the receive buffer passes as it is.
 */
@Sharable
public final class ReadCompactor extends ChannelInboundHandlerAdapter {
  /** A buffer of at most so many bytes passes: a copy would spare too little. */
  private static final int SMALL_BYTES = 1 << 10;

  /** One that is filled beyond this part passes: three quarters at least are spared by a copy. */
  private static final int PART = 4;

  /** For any number of channels. */
  public ReadCompactor() {}

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object msg) {
    ctx.fireChannelRead(
        switch (msg) {
          case ByteBuf buffer -> compacted(ctx.alloc(), buffer);
          case DatagramPacket packet -> compacted(ctx.alloc(), packet);
          default -> msg;
        });
  }

  @SuppressWarnings("ReferenceEquality") // a buffer is its identity
  private static DatagramPacket compacted(ByteBufAllocator allocator, DatagramPacket packet) {
    ByteBuf content = compacted(allocator, packet.content());
    return content == packet.content()
        ? packet
        : new DatagramPacket(content, packet.recipient(), packet.sender());
  }

  /** The buffer itself where a copy would spare nothing, others who hold it among the reasons. */
  private static ByteBuf compacted(ByteBufAllocator allocator, ByteBuf buffer) {
    int bytes = buffer.readableBytes();
    int capacity = buffer.capacity();
    if (capacity <= SMALL_BYTES || bytes > capacity / PART || bytes == 0 || buffer.refCnt() != 1) {
      return buffer;
    }
    ByteBuf fitting;
    try {
      fitting = buffer.isDirect() ? allocator.directBuffer(bytes) : allocator.heapBuffer(bytes);
    } catch (OutOfMemoryError refused) {
      MemoryRefusals.require(refused);
      return buffer;
    }
    fitting.writeBytes(buffer);
    buffer.release();
    return fitting;
  }
}
