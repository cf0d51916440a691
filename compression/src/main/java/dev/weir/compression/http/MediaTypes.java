package dev.weir.compression.http;

import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which contents are worth compressing, by what they say they are. */
public final class MediaTypes {
  private static final Set<String> COMPRESSIBLE =
      Set.of(
          "application/dns-json",
          "application/ecmascript",
          "application/graphql",
          "application/javascript",
          "application/json",
          "application/json-seq",
          "application/ld+json",
          "application/manifest+json",
          "application/protobuf",
          "application/rtf",
          "application/sql",
          "application/wasm",
          "application/x-javascript",
          "application/x-ndjson",
          "application/x-protobuf",
          "application/x-www-form-urlencoded",
          "application/xml",
          "application/yaml",
          "font/otf",
          "font/ttf",
          "image/bmp",
          "image/x-icon");

  private MediaTypes() {}

  /**
   * Whether contents of a type usually become a good deal shorter: text of all kinds, and formats
   * that have no compression of their own.
   *
   * @param contentType the field's value, with or without parameters; null if there is none
   */
  public static boolean isCompressible(@Nullable String contentType) {
    if (contentType == null) {
      return false;
    }
    int semicolon = contentType.indexOf(';');
    String type =
        (semicolon < 0 ? contentType : contentType.substring(0, semicolon))
            .strip()
            .toLowerCase(Locale.ROOT);
    return type.startsWith("text/")
        || type.endsWith("+json")
        || type.endsWith("+xml")
        || type.endsWith("+yaml")
        || COMPRESSIBLE.contains(type);
  }
}
