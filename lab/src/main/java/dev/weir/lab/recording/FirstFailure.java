package dev.weir.lab.recording;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/** Keeps the first of several failures until somebody can throw it. Not thread-safe. */
final class FirstFailure {
  private @Nullable Throwable first;

  void keep(Throwable failure) {
    if (first == null) {
      first = failure;
    }
  }

  /** Throws it, if there was one. */
  void rethrow() throws IOException {
    switch (first) {
      case null -> {}
      case UncheckedIOException unchecked -> throw unchecked.getCause();
      case RuntimeException unchecked -> throw unchecked;
      case Error error -> throw error;
      default -> throw new IOException(first);
    }
  }
}
