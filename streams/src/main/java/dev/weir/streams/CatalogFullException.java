package dev.weir.streams;

import java.io.IOException;

/** No room in the Java heap for another stream or producer. Those that there are go on. */
public final class CatalogFullException extends IOException {
  private static final long serialVersionUID = 1L;

  CatalogFullException(long limitBytes) {
    super(
        "streams and producers take %,d bytes of the Java heap, the limit: delete streams,"
                .formatted(limitBytes)
            + " or start the node with a larger heap");
  }
}
