package dev.weir.netty.http;

import dev.weir.netty.flow.Permit;
import io.netty.buffer.ByteBuf;

/**
 * Where the bytes of one request gather: in a buffer, or in a file. A body takes no memory but out
 * of permits: it says how many bytes it must be admitted for, and is given a permit for them.
 *
 * <p>Used on one event loop. Ends with {@link #finish()} or {@link #release()}.
 */
sealed interface RequestBody permits DeclaredBody, GrowingBody, SpilledBody {

  /** The bytes gathered so far. */
  int lengthBytes();

  /**
   * The memory that it holds, whether anything has come for it or not; or as many bytes as its room
   * in files is worth.
   */
  int heldBytes();

  /**
   * The bytes to be admitted before {@code moreBytes} can be appended; 0 if they fit now.
   *
   * @throws RefusedRequestException if that would exceed what the request declared or may have
   */
  int bytesToAdmit(int moreBytes) throws RefusedRequestException;

  /**
   * Takes so many bytes, as {@link #bytesToAdmit} told, out of a permit. Where it could not make
   * use of them, {@link #bytesToAdmit} tells what it needs instead.
   */
  void extend(Permit permit, int bytes);

  /** Copies the readable bytes of {@code content}, which must fit. */
  void append(ByteBuf content);

  /**
   * Hands the gathered bytes over as one buffer, which the caller releases.
   *
   * @throws RefusedRequestException if bytes are missing
   */
  ByteBuf finish() throws RefusedRequestException;

  /**
   * Hands over what was gathered so far, which goes elsewhere with the rest; this body is empty.
   */
  ByteBuf takeGathered();

  /** Releases what was gathered; has no effect after {@link #finish()}. */
  void release();
}
