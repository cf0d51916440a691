package dev.weir.netty.flow;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import org.jspecify.annotations.Nullable;

/** The channels of a world, and how clients send to them. */
interface Lines {
  /**
   * What a client sends at once.
   *
   * @param isHead whether it is the head of a request, and no more
   * @param lengthBytes what a head declares; negative: nothing
   * @param bytes of a body
   * @param isLast whether the request ends with it
   */
  record Part(boolean isHead, int lengthBytes, int bytes, boolean isLast) {
    static Part head(int lengthBytes) {
      return new Part(/* isHead= */ true, lengthBytes, /* bytes= */ 0, /* isLast= */ false);
    }

    static Part body(int bytes, boolean isLast) {
      return new Part(/* isHead= */ false, /* lengthBytes= */ -1, bytes, isLast);
    }
  }

  /** Has the handlers of a channel put into its pipeline. */
  interface Initializer {
    /**
     * Called once for each client.
     *
     * @param codec what turns what comes into requests, and answers into what goes
     */
    void initialize(Channel channel, int index, ChannelHandler... codec);
  }

  /** The channel of a client; null before it has sent anything that makes one. */
  @Nullable Channel channel(int index);

  /** Whether a client can send that. */
  boolean canSend(int index, Part part);

  void send(int index, Part part);

  /** Runs what waits for the event loop of a channel. */
  void runTasks(int index);

  /** All that decides what can be sent from now on. */
  String state();
}
