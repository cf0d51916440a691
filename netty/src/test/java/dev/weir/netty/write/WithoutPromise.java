package dev.weir.netty.write;

import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;

/** As one for which no Java heap is found for another that tells, instead of it or beside it. */
public final class WithoutPromise extends DefaultChannelPromise {
  /** Of {@code channel}. */
  public WithoutPromise(Channel channel) {
    super(channel);
  }

  @Override
  public boolean setUncancellable() {
    throw new OutOfMemoryError("made by the test");
  }

  @Override
  public ChannelPromise unvoid() {
    throw new OutOfMemoryError("made by the test");
  }
}
