package dev.weir.netty.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Parts of a body that have come together, joined for one write to its file: a write for each would
 * cost this side far more than a client has to send for it.
 *
 * @param bytes all of them; the reader's to release
 * @param last what ended the body, if it is among them
 */
record JoinedParts(ByteBuf bytes, @Nullable LastHttpContent last) {
  /** As much as one read of a socket brings. */
  private static final int MAX_BYTES = 64 << 10;

  /**
   * Joins to a part those of the same body that follow it, as far as there is room for them, and
   * takes them out of their queue.
   *
   * @param first the part, which the body has room for; it stays the caller's
   */
  static JoinedParts of(HttpContent first, Queue<HttpObject> following, SpilledBody body) {
    int bytes = first.content().readableBytes();
    LastHttpContent last = first instanceof LastHttpContent end ? end : null;
    int more = 0;
    for (HttpObject object : following) {
      if (last != null || !(object instanceof HttpContent part) || !isOfTheSame(part)) {
        break;
      }
      int longer = bytes + part.content().readableBytes();
      if (longer > MAX_BYTES || !hasRoom(body, longer)) {
        break;
      }
      bytes = longer;
      last = part instanceof LastHttpContent end ? end : null;
      more++;
    }
    if (more == 0) {
      return new JoinedParts(first.content().retain(), last);
    }
    ByteBuf joined = Unpooled.buffer(bytes).writeBytes(first.content());
    for (; more > 0; more--) {
      HttpContent part = (HttpContent) following.remove();
      joined.writeBytes(part.content());
      part.release();
    }
    return new JoinedParts(joined, last);
  }

  private static boolean isOfTheSame(HttpContent part) {
    return part.decoderResult().isSuccess() && !(part instanceof HttpRequest);
  }

  private static boolean hasRoom(SpilledBody body, int bytes) {
    try {
      return body.bytesToAdmit(bytes) == 0;
    } catch (RefusedRequestException refusal) {
      return false; // It is made when that part's turn comes.
    }
  }
}
