package dev.weir.server.http;

import org.jspecify.annotations.Nullable;

/**
 * How connections are served.
 *
 * @param transport how sockets are watched
 * @param eventLoops threads that serve connections, at least 1
 * @param sendBufferBytes what the kernel keeps of one connection until its peer has it, {@code
 *     SO_SNDBUF}; 0: the kernel decides
 */
public record Sockets(Transport transport, int eventLoops, int sendBufferBytes) {
  /**
   * Readers that take all they get leave an event loop's turns short with it, and it suffices for
   * the rate of a disk within a data center.
   */
  public static final int SEND_BUFFER_BYTES = 256 << 10;

  /** The option's value; null leaves it as it is. */
  @Nullable Integer sendBuffer() {
    return sendBufferBytes == 0 ? null : sendBufferBytes;
  }

  /** With a loop for each processor. */
  public static Sockets of(Transport transport) {
    return new Sockets(transport, Runtime.getRuntime().availableProcessors(), SEND_BUFFER_BYTES);
  }
}
