package dev.weir.benchmarks.compression;

import dev.weir.benchmarks.peer.Peer;
import java.nio.ByteBuffer;

/** One content, whatever it goes through. */
@FunctionalInterface
interface Operation {
  /** The level of zstd. */
  int LEVEL = 3;

  /** What bare libraries write into. */
  int TARGET_BYTES = 64 << 10;

  /**
   * Takes the content through.
   *
   * @return how long it is then
   */
  long run();

  /**
   * An operation of its own, with its own context, buffers and channel.
   *
   * @param writeBytes how long the writes are that the content of a response comes in
   */
  static Operation of(Way way, Peer peer, byte[] text, int writeBytes) {
    return switch (way) {
      case BARE_SYSTEM -> bare(BareZstd.system(LEVEL), text);
      case BARE_JNI -> bare(BareZstd.jni(LEVEL), text);
      case ENCODER_SYSTEM, ENCODER_JNI -> new EncoderLoop(way.library(), text)::run;
      case UNCOMPRESSED_BESIDE_BARE -> {
        Pipeline pipeline = new Pipeline(peer, way, text, writeBytes);
        Operation beside = bare(BareZstd.jni(LEVEL), text);
        yield () -> {
          pipeline.respond();
          return beside.run();
        };
      }
      case UNCOMPRESSED, RESPONSE_SYSTEM, RESPONSE_JNI ->
          new Pipeline(peer, way, text, writeBytes)::respond;
    };
  }

  private static Operation bare(BareZstd zstd, byte[] text) {
    ByteBuffer content = ByteBuffer.allocateDirect(text.length).put(text).rewind();
    ByteBuffer target = ByteBuffer.allocateDirect(TARGET_BYTES);
    return () -> zstd.frame(content, target);
  }
}
