package dev.weir.netty.flow;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;

/** A connection for each client, which sends when it is read from. */
final class Connections implements Lines {
  private final EmbeddedChannel[] channels;

  Connections(int count, Initializer initializer) {
    channels = new EmbeddedChannel[count];
    for (int i = 0; i < count; i++) {
      channels[i] = new EmbeddedChannel();
      initializer.initialize(channels[i], i);
    }
  }

  @Override
  public Channel channel(int index) {
    return channels[index];
  }

  @Override
  public boolean canSend(int index, Part part) {
    return channels[index].config().isAutoRead();
  }

  @Override
  public void send(int index, Part part) {
    if (part.isHead()) {
      HttpRequest head = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/");
      if (part.lengthBytes() < 0) {
        HttpUtil.setTransferEncodingChunked(head, true);
      } else {
        HttpUtil.setContentLength(head, part.lengthBytes());
      }
      channels[index].writeInbound(head);
    } else {
      ByteBuf content = Unpooled.buffer(part.bytes()).writeZero(part.bytes());
      channels[index].writeInbound(
          part.isLast() ? new DefaultLastHttpContent(content) : new DefaultHttpContent(content));
    }
  }

  @Override
  public void runTasks(int index) {
    channels[index].runPendingTasks();
  }

  @Override
  public String state() {
    StringBuilder state = new StringBuilder();
    for (EmbeddedChannel channel : channels) {
      state.append(channel.config().isAutoRead() ? 'r' : 's');
    }
    return state.toString();
  }
}
