package dev.weir.compression.http;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.LastHttpContent;

/** Makes contents of bytes, which are released where there is no Java heap for that. */
final class Contents {
  private Contents() {}

  /** Takes the bytes over. */
  static HttpContent of(ByteBuf bytes) {
    HttpContent content = null;
    try {
      content = new DefaultHttpContent(bytes);
      return content;
    } finally {
      if (content == null) {
        bytes.release();
      }
    }
  }

  /** Takes the bytes over. */
  static LastHttpContent last(ByteBuf bytes, HttpHeaders trailers) {
    LastHttpContent content = null;
    try {
      content = new DefaultLastHttpContent(bytes, trailers);
      return content;
    } finally {
      if (content == null) {
        bytes.release();
      }
    }
  }
}
