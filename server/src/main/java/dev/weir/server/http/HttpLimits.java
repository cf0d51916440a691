package dev.weir.server.http;

import dev.weir.netty.write.WriteGateOptions;
import java.time.Duration;

/**
 * What a client may ask of a node, and for how long.
 *
 * @param maxConnections open at once, as a stream of HTTP/2 counts that is not the only one of its
 *     connection; a further one gets 503 and is closed, unless an operator asks
 * @param maxBodyBytes of one append
 * @param stagingBytes memory for small bodies on their way in, all connections together
 * @param idleTimeout for a connection between requests
 * @param stallTimeout for a request of whose body less than 1 KiB comes, and for a response of
 *     which no byte moves
 * @param memoryTimeout for a response that waits for memory; then 503, or the connection's end
 * @param longPollTimeout after which a long poll answers 204, and a live reader gets a sign of life
 * @param liveTimeout after which a server-sent event stream ends, for the client to come back
 */
public record HttpLimits(
    int maxConnections,
    long maxBodyBytes,
    long stagingBytes,
    Duration idleTimeout,
    Duration stallTimeout,
    Duration memoryTimeout,
    Duration longPollTimeout,
    Duration liveTimeout) {
  /** What is read from a socket, or from a file for a response, at once. */
  static final int CHUNK_BYTES = 64 << 10;

  /** A response is read ahead of the socket by this much at most. */
  static final int WRITE_AHEAD_BYTES = 2 * CHUNK_BYTES;

  /** A connection's share: one chunk coming in, two or three going out. */
  private static final int CHUNKS = 4;

  private static final int TLS_CHUNKS = 6;
  private static final int CONNECTION_BYTES = CHUNKS * CHUNK_BYTES;

  static final int MAX_REQUEST_LINE_BYTES = 8 << 10;
  static final int MAX_HEADER_BYTES = 16 << 10;

  /** The rest of a refused body that is read so that the connection can go on. */
  static final long MAX_DISCARDED_BYTES = 256 << 10;

  /** The time that a client gets to read a refusal before a connection with unread bytes closes. */
  static final Duration LINGER = Duration.ofSeconds(2);

  /** Beyond the limit, for those who look after the node. */
  static final int OPERATOR_CONNECTIONS = 16;

  /** Short, so that slow clients do not keep these from operators. */
  static final Duration OPERATOR_TIMEOUT = Duration.ofSeconds(5);

  private static final long MAX_BODY_BYTES = 2L << 30;

  private static final int MIN_CONNECTIONS = 16;
  private static final int MIN_STREAMS = 4;
  private static final int MAX_STREAMS = 100;

  /** A connection's socket, and the file that it is served from or uploads to. */
  private static final int CONNECTION_DESCRIPTORS = 2;

  /** For segments kept open, directories, journals, connections being turned away, and the JVM. */
  private static final int OTHER_DESCRIPTORS = 464;

  /** What the fewest connections need, and the rest of a node. */
  public static final int LEAST_DESCRIPTORS =
      OTHER_DESCRIPTORS + CONNECTION_DESCRIPTORS * MIN_CONNECTIONS;

  /** Limits whose memory, all connections busy at once, stays within {@code budgetBytes}. */
  public static HttpLimits forBudget(long budgetBytes) {
    // A quarter for bodies, and three for the connections' own chunks.
    long connections = budgetBytes / 4 * 3 / CONNECTION_BYTES;
    return new HttpLimits(
        Math.clamp(connections, MIN_CONNECTIONS, 10_000),
        MAX_BODY_BYTES,
        budgetBytes / 4,
        Duration.ofSeconds(60),
        Duration.ofSeconds(30),
        Duration.ofSeconds(10),
        Duration.ofSeconds(20),
        Duration.ofSeconds(60));
  }

  /**
   * The same, with as many connections as fit where each has TLS: what it holds of a chunk before
   * and after its encryption, in either direction.
   */
  public HttpLimits withTls() {
    return withConnections(Math.max(maxConnections * CHUNKS / TLS_CHUNKS, MIN_CONNECTIONS));
  }

  /** The same, with no more connections than a process with so many file descriptors can serve. */
  public HttpLimits within(long descriptors) {
    long connections = (descriptors - OTHER_DESCRIPTORS) / CONNECTION_DESCRIPTORS;
    return withConnections((int) Math.min(maxConnections, Math.max(connections, MIN_CONNECTIONS)));
  }

  /**
   * Streams of HTTP/2 that a connection may have open at once: an eighth of the node's places, but
   * {@value #MIN_STREAMS} where that is less, a quarter of the fewest places that there are, and
   * {@value #MAX_STREAMS} at most.
   */
  int maxStreams() {
    return Math.clamp(maxConnections / 8, MIN_STREAMS, MAX_STREAMS);
  }

  /**
   * What connections may queue to be sent: each its share, with water marks at one chunk and at
   * {@link #WRITE_AHEAD_BYTES}, and all of them theirs. Peers that stop are found by {@link
   * StallGuard}, however much they have queued.
   */
  WriteGateOptions writeBounds() {
    return new WriteGateOptions(
        CONNECTION_BYTES,
        (long) maxConnections * CONNECTION_BYTES,
        /* slowBytes= */ Integer.MAX_VALUE,
        stallTimeout);
  }

  /**
   * The same for the {@value #OPERATOR_CONNECTIONS} connections beyond the limit: a head has to
   * come, and an answer to be taken, within {@link #OPERATOR_TIMEOUT}.
   */
  HttpLimits forOperators() {
    return with(maxConnections, atMost(idleTimeout), atMost(stallTimeout));
  }

  private static Duration atMost(Duration timeout) {
    return timeout.compareTo(OPERATOR_TIMEOUT) < 0 ? timeout : OPERATOR_TIMEOUT;
  }

  private HttpLimits withConnections(int connections) {
    return with(connections, idleTimeout, stallTimeout);
  }

  private HttpLimits with(int connections, Duration idle, Duration stall) {
    return new HttpLimits(
        connections,
        maxBodyBytes,
        stagingBytes,
        idle,
        stall,
        memoryTimeout,
        longPollTimeout,
        liveTimeout);
  }
}
