package dev.weir.compression.http;

import dev.weir.netty.write.Unwritten;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpResponse;
import java.nio.channels.ClosedChannelException;

/** A head that waits for the first of its content, which decides what becomes of it. */
record HeldHead(HttpResponse response, ResponsePlan plan, ChannelPromise promise) {
  /** Nothing becomes of it: the channel has closed. */
  void drop() {
    Unwritten.release(response);
    promise.tryFailure(new ClosedChannelException());
  }
}
