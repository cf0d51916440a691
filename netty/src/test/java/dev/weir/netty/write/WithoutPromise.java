package dev.weir.netty.write;

import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;

/** As a void promise that finds no Java heap for one that tells. */
public final class WithoutPromise extends DefaultChannelPromise {
  /** Of {@code channel}. */
  public WithoutPromise(Channel channel) {
    super(channel);
  }

  @Override
  public ChannelPromise unvoid() {
    throw new OutOfMemoryError("made by the test");
  }
}
