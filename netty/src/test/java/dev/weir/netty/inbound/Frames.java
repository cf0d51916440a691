package dev.weir.netty.inbound;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.ReplayingDecoder;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpContentDecompressor;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpServerCodec;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/** Netty's decoders, each with what a peer sends it: numbered frames of a pattern. */
enum Frames {
  MERGED {
    @Override
    ChannelHandler[] decoders() {
      return new ChannelHandler[] {new LengthFieldBasedFrameDecoder(1 << 20, 0, 4, 0, 4)};
    }
  },
  /** It has used a length up when it asks for the memory of what follows. */
  COMPOSITE {
    @Override
    ChannelHandler[] decoders() {
      Copying decoder = new Copying();
      decoder.setCumulator(ByteToMessageDecoder.COMPOSITE_CUMULATOR);
      return new ChannelHandler[] {decoder};
    }
  },
  REPLAYING {
    @Override
    ChannelHandler[] decoders() {
      return new ChannelHandler[] {new Replaying()};
    }
  },
  /** A frame is a field of a head. */
  HTTP_1 {
    @Override
    ChannelHandler[] decoders() {
      return new ChannelHandler[] {new HttpServerCodec(4096, 1 << 20, 8192)};
    }

    @Override
    byte[] encode(byte[] frame) {
      String field = new String(frame, ISO_8859_1);
      return ("GET / HTTP/1.1\r\nhost: a\r\nx: " + field + "\r\n\r\n").getBytes(ISO_8859_1);
    }

    @Override
    @Nullable ByteBuf content(Object message) {
      return message instanceof HttpRequest request
          ? Unpooled.copiedBuffer(request.headers().get("x"), ISO_8859_1)
          : null;
    }
  },
  /** A frame is a body, and comes in parts. */
  DECOMPRESSED {
    @Override
    ChannelHandler[] decoders() {
      return new ChannelHandler[] {new HttpServerCodec(), new HttpContentDecompressor(0)};
    }

    @Override
    byte[] encode(byte[] frame) {
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      byte[] body = gzip(frame);
      String head =
          "POST / HTTP/1.1\r\nhost: a\r\ncontent-encoding: gzip\r\ncontent-length: %d\r\n\r\n";
      all.writeBytes(head.formatted(body.length).getBytes(ISO_8859_1));
      all.writeBytes(body);
      return all.toByteArray();
    }

    @Override
    @Nullable ByteBuf content(Object message) {
      return message instanceof HttpContent part ? part.content().retainedDuplicate() : null;
    }
  };

  abstract ChannelHandler[] decoders();

  /** The bytes of a frame on their way; here its length, and the frame. */
  byte[] encode(byte[] frame) {
    return ByteBufUtil.getBytes(
        Unpooled.buffer(4 + frame.length).writeInt(frame.length).writeBytes(frame));
  }

  /** What a decoded message has of a frame, if anything; the caller releases it. */
  @Nullable ByteBuf content(Object message) {
    return message instanceof ByteBuf frame ? frame.retainedDuplicate() : null;
  }

  /** The frame of a number: letters, of which each says where it belongs. */
  static byte[] frame(int number, int bytes) {
    byte[] frame = new byte[bytes];
    SplittableRandom pattern = new SplittableRandom(number);
    for (int i = 0; i < bytes; i++) {
      frame[i] = (byte) ('a' + pattern.nextInt(26));
    }
    return frame;
  }

  private static byte[] gzip(byte[] plain) {
    ByteArrayOutputStream compressed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(compressed)) {
      gzip.write(plain);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return compressed.toByteArray();
  }

  private static final class Copying extends ByteToMessageDecoder {
    private int length = -1;

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
      if (length < 0 && in.readableBytes() >= 4) {
        length = in.readInt();
      }
      if (length >= 0 && in.readableBytes() >= length) {
        int bytes = length;
        length = -1;
        out.add(in.readBytes(bytes));
      }
    }
  }

  private static final class Replaying extends ReplayingDecoder<Void> {
    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
      out.add(in.readRetainedSlice(in.readInt()));
    }
  }
}
