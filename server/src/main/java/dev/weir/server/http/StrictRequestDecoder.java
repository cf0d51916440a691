package dev.weir.server.http;

import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequestDecoder;

/** Refuses requests whose end two readers could see at different places. */
final class StrictRequestDecoder extends HttpRequestDecoder {
  StrictRequestDecoder() {
    super(
        new HttpDecoderConfig()
            .setMaxInitialLineLength(HttpLimits.MAX_REQUEST_LINE_BYTES)
            .setMaxHeaderSize(HttpLimits.MAX_HEADER_BYTES)
            .setMaxChunkSize(HttpLimits.CHUNK_BYTES));
  }

  @Override
  protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {
    throw new IllegalArgumentException("both Content-Length and Transfer-Encoding");
  }
}
