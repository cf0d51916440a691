package dev.weir.compression.http;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.LastHttpContent;

/** Makes contents of bytes. */
final class Contents {
  private Contents() {}

  /** Takes the bytes over. */
  static HttpContent of(ByteBuf bytes) {
    return new DefaultHttpContent(bytes);
  }

  /** Takes the bytes over. */
  static LastHttpContent last(ByteBuf bytes, HttpHeaders trailers) {
    return new DefaultLastHttpContent(bytes, trailers);
  }
}
