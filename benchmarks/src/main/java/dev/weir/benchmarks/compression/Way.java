package dev.weir.benchmarks.compression;

import dev.weir.compression.zstd.ZstdLibrary;
import dev.weir.lab.contender.ZstdContender;
import java.util.Arrays;

/** What a content goes through. */
enum Way {
  /** The system's library, called in a loop that does nothing else. */
  BARE_SYSTEM("bare-system"),
  /** zstd-jni, called in a loop that does nothing else. */
  BARE_JNI("bare-jni"),
  /** An encoder, over the system's library, into a buffer of Weir's. */
  ENCODER_SYSTEM("encoder-system"),
  /** An encoder, over zstd-jni, into a buffer of Weir's. */
  ENCODER_JNI("encoder-jni"),
  /** A pipeline that compresses nothing: what of the handlers' time is the pipeline's. */
  UNCOMPRESSED("uncompressed"),
  /**
   * The same, and the content through a library's own loop beside it: so the processor's caches are
   * as full of other things as where a handler compresses.
   */
  UNCOMPRESSED_BESIDE_BARE("uncompressed-beside-bare"),
  /** A pipeline with the handler, over the system's library. */
  RESPONSE_SYSTEM("response-system"),
  /** A pipeline with the handler, over zstd-jni, which is what Netty's uses too. */
  RESPONSE_JNI("response-jni");

  private final String label;

  Way(String label) {
    this.label = label;
  }

  String label() {
    return label;
  }

  static Way of(String label) {
    return Arrays.stream(values())
        .filter(way -> way.label.equals(label))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no way '" + label + "'"));
  }

  /** The same library without anything of Weir's; the system's for what uses none. */
  Way bare() {
    return usesJni() ? BARE_JNI : BARE_SYSTEM;
  }

  private boolean usesJni() {
    return this == RESPONSE_JNI || this == ENCODER_JNI || this == BARE_JNI;
  }

  /** The library that the handler uses. */
  ZstdLibrary library() {
    return (usesJni() ? ZstdContender.JNI : ZstdContender.SYSTEM).library();
  }
}
