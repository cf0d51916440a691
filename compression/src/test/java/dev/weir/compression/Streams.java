package dev.weir.compression;

import dev.weir.compression.codec.Decoder;
import dev.weir.compression.codec.Encoder;
import dev.weir.compression.codec.Step;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.ByteArrayOutputStream;

/** Whole streams through encoders and decoders, cut into pieces. */
public final class Streams {
  private Streams() {}

  /** Compresses a content in pieces of so many bytes, into targets of so many. */
  public static byte[] encode(
      Encoder encoder,
      byte[] content,
      int pieceBytes,
      int targetBytes,
      ByteBufAllocator allocator) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    int at = 0;
    do {
      int bytes = Math.min(pieceBytes, content.length - at);
      Step step = at + bytes == content.length ? Step.END : Step.TAKE;
      all.writeBytes(step(encoder, content, at, bytes, step, targetBytes, allocator));
      at += bytes;
    } while (at < content.length);
    return all.toByteArray();
  }

  /** Takes one step, to its end. */
  public static byte[] step(
      Encoder encoder,
      byte[] content,
      int from,
      int bytes,
      Step step,
      int targetBytes,
      ByteBufAllocator allocator) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    ByteBuf source = allocator.directBuffer(Math.max(bytes, 1));
    ByteBuf target = allocator.directBuffer(targetBytes, targetBytes);
    try {
      source.writeBytes(content, from, bytes);
      boolean done;
      do {
        done = encoder.encode(source, target, step);
        drain(target, all);
      } while (!done);
    } finally {
      source.release();
      target.release();
    }
    return all.toByteArray();
  }

  /** Decompresses a stream that comes in pieces of so many bytes, to its end. */
  public static byte[] decode(
      Decoder decoder, byte[] stream, int pieceBytes, int targetBytes, ByteBufAllocator allocator) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    ByteBuf source = allocator.directBuffer(pieceBytes);
    ByteBuf target = allocator.directBuffer(targetBytes, targetBytes);
    try {
      for (int at = 0; at < stream.length; at += pieceBytes) {
        source.clear().writeBytes(stream, at, Math.min(pieceBytes, stream.length - at));
        boolean done;
        do {
          done = decoder.decode(source, target);
          drain(target, all);
        } while (!done);
      }
      decoder.finish();
    } finally {
      source.release();
      target.release();
    }
    return all.toByteArray();
  }

  private static void drain(ByteBuf target, ByteArrayOutputStream all) {
    byte[] bytes = new byte[target.readableBytes()];
    target.readBytes(bytes).clear();
    all.writeBytes(bytes);
  }
}
