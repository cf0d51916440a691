package dev.weir.server.console;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import tools.jackson.jr.ob.JSON;

/** JSON on one line. */
final class Json {
  static final Charset CHARSET = StandardCharsets.UTF_8;

  private static final JSON WRITER = JSON.std.with(JSON.Feature.WRITE_NULL_PROPERTIES);

  private Json() {}

  static byte[] bytes(Object json) {
    return WRITER.asBytes(json);
  }
}
