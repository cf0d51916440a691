package dev.weir.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.DefaultChannelId;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** A connection whose socket takes what the test lets it take. */
final class TricklingSocket extends EmbeddedChannel {
  private final ByteArrayOutputStream taken = new ByteArrayOutputStream();
  private int allowedBytes;

  TricklingSocket(ChannelHandler handler) {
    super(
        EmbeddedNode.LISTENER,
        DefaultChannelId.newInstance(),
        /* register= */ false,
        /* hasDisconnect= */ false,
        handler);
  }

  @Override
  protected void doWrite(ChannelOutboundBuffer queue) throws IOException {
    while (queue.current() instanceof ByteBuf bytes && (allowedBytes > 0 || !bytes.isReadable())) {
      int length = Math.min(allowedBytes, bytes.readableBytes());
      bytes.getBytes(bytes.readerIndex(), taken, length);
      allowedBytes -= length;
      queue.removeBytes(length);
    }
  }

  byte[] take(int bytes) {
    allowedBytes = bytes;
    flush();
    allowedBytes = 0;
    byte[] all = taken.toByteArray();
    taken.reset();
    return all;
  }
}
