package dev.weir.server.http;

import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2RemoteFlowController;
import io.netty.handler.codec.http2.Http2Settings;
import org.jspecify.annotations.Nullable;

/** What a client of HTTP/2 may set. */
final class ClientSettings {
  private ClientSettings() {}

  /**
   * Looks at settings before the codec applies them: it would open some windows, and fail.
   *
   * @return why the connection has to end (RFC 9113, 6.9.2), or null
   */
  static @Nullable String refuse(Http2Settings settings, Http2Connection connection) {
    Integer windowBytes = settings.initialWindowSize();
    if (windowBytes == null || leavesWindows(windowBytes, connection)) {
      return null;
    }
    return "a client's SETTINGS_INITIAL_WINDOW_SIZE of %d opens a stream's window beyond %d"
        .formatted(windowBytes, Http2CodecUtil.MAX_INITIAL_WINDOW_SIZE);
  }

  private static boolean leavesWindows(int windowBytes, Http2Connection connection) {
    Http2RemoteFlowController windows = connection.remote().flowController();
    long more = (long) windowBytes - windows.initialWindowSize();
    try {
      return connection.forEachActiveStream(
              stream -> windows.windowSize(stream) + more <= Http2CodecUtil.MAX_INITIAL_WINDOW_SIZE)
          == null;
    } catch (Http2Exception e) {
      throw new IllegalStateException("a stream's window cannot be looked at", e);
    }
  }
}
