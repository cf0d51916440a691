package dev.weir.lab.contender;

import dev.weir.compression.zstd.JniZstd;
import dev.weir.compression.zstd.SystemZstd;
import dev.weir.compression.zstd.ZstdLibrary;
import java.util.Arrays;
import java.util.Locale;

/** Which zstd Weir calls. */
public enum ZstdContender {
  /** What a service gets that chooses none. */
  BEST,
  /** The system's library. */
  SYSTEM,
  /** zstd-jni. */
  JNI;

  /** The name on the command line and in reports. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * The one of that label.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static ZstdContender of(String label) {
    return Arrays.stream(values())
        .filter(choice -> choice.label().equals(label))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "no zstd is called '" + label + "' (expected: best, system or jni)"));
  }

  /** Whether it can be had here. */
  public boolean isPresent() {
    return this != SYSTEM || SystemZstd.find().isPresent();
  }

  /**
   * The library.
   *
   * @throws IllegalStateException if it cannot be had here
   */
  public ZstdLibrary library() {
    return switch (this) {
      case BEST -> ZstdLibrary.best();
      case SYSTEM ->
          SystemZstd.find()
              .orElseThrow(() -> new IllegalStateException("this system has no libzstd.so.1"));
      case JNI -> JniZstd.load();
    };
  }
}
