package dev.weir.replication.serve;

import dev.weir.replication.send.BodySource;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.IOException;

/** How routes answer the request of a connection: once. For its event loop. */
interface Reply {
  ChannelHandlerContext context();

  /** Answers with something short. */
  void answer(FullHttpResponse answer);

  /** Answers that it is not done, and why. */
  void refuse(HttpResponseStatus status, Refusal reason, String text);

  /**
   * Answers from files.
   *
   * @throws IOException when they cannot be opened; nothing is answered then
   */
  void send(HttpResponse head, BodySource source, boolean headOnly) throws IOException;

  /** Takes the request's body; the answer comes at its end. */
  void receive(BodyIntake intake);

  /** Whether the client still hears. */
  default boolean isOpen() {
    return context().channel().isActive();
  }
}
