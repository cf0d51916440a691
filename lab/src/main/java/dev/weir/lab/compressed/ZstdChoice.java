package dev.weir.lab.compressed;

import dev.weir.compression.zstd.JniZstd;
import dev.weir.compression.zstd.SystemZstd;
import dev.weir.compression.zstd.ZstdLibrary;
import java.util.Arrays;
import java.util.Locale;

/** Which zstd Weir's handler calls. */
enum ZstdChoice {
  /** What a service gets that chooses none. */
  BEST,
  SYSTEM,
  JNI;

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * The one of that label.
   *
   * @throws IllegalArgumentException if there is none
   */
  static ZstdChoice of(String label) {
    return Arrays.stream(values())
        .filter(choice -> choice.label().equals(label))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "no zstd is called '" + label + "' (expected: best, system or jni)"));
  }

  /** Whether it can be had here. */
  boolean isPresent() {
    return this != SYSTEM || SystemZstd.find().isPresent();
  }

  /**
   * The library.
   *
   * @throws java.util.NoSuchElementException if it is the system's, which has none
   */
  ZstdLibrary library() {
    return switch (this) {
      case BEST -> ZstdLibrary.best();
      case SYSTEM -> SystemZstd.find().orElseThrow();
      case JNI -> JniZstd.load();
    };
  }
}
