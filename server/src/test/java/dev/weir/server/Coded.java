package dev.weir.server;

import com.aayushatharva.brotli4j.Brotli4jLoader;
import com.aayushatharva.brotli4j.decoder.BrotliInputStream;
import com.aayushatharva.brotli4j.encoder.BrotliOutputStream;
import com.aayushatharva.brotli4j.encoder.Encoder;
import com.github.luben.zstd.ZstdInputStream;
import com.github.luben.zstd.ZstdOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** Content codings as others have written them. */
final class Coded {
  private static final Pattern CODING = Pattern.compile("(?i)\r\ncontent-encoding: ([a-z]+)\r\n");

  /** Of brotli, whose best takes seconds for a megabyte. */
  private static final int QUALITY = 4;

  private Coded() {}

  static {
    Brotli4jLoader.ensureAvailability();
  }

  /** What a content stands for; as it is if it has no coding. */
  static byte[] decode(String coding, byte[] content) throws IOException {
    try (InputStream in = reader(coding, new ByteArrayInputStream(content))) {
      return in.readAllBytes();
    }
  }

  /** Reads what is sent; as it is if it has no coding. */
  static InputStream reader(String coding, InputStream in) throws IOException {
    return switch (coding) {
      case "zstd" -> new ZstdInputStream(in).setContinuous(true);
      case "br" -> new BrotliInputStream(in);
      case "gzip" -> new GZIPInputStream(in);
      case null -> in;
      default -> throw new IllegalArgumentException(coding);
    };
  }

  /**
   * An answer of HTTP/1.1, its body out of its chunks and its coding; as it is if it is cut off.
   */
  static String plain(byte[] answer) throws IOException {
    String all = new String(answer, StandardCharsets.ISO_8859_1);
    int headEnd = all.indexOf("\r\n\r\n") + 4;
    if (headEnd < 4 || !all.endsWith("\r\n0\r\n\r\n")) {
      return all;
    }
    String head = all.substring(0, headEnd);
    Matcher coding = CODING.matcher(head);
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    int at = headEnd;
    int bytes;
    do {
      int lineEnd = all.indexOf("\r\n", at);
      bytes = Integer.parseInt(all.substring(at, lineEnd), 16);
      content.write(answer, lineEnd + 2, bytes);
      at = lineEnd + 2 + bytes + 2;
    } while (bytes > 0);
    byte[] decoded = decode(coding.find() ? coding.group(1) : null, content.toByteArray());
    return head + new String(decoded, StandardCharsets.UTF_8);
  }

  static byte[] encode(String coding, byte[] content) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    try (OutputStream out = writer(coding, all)) {
      out.write(content);
    }
    return all.toByteArray();
  }

  private static OutputStream writer(String coding, OutputStream out) throws IOException {
    return switch (coding) {
      case "zstd" -> new ZstdOutputStream(out).setChecksum(true);
      case "br" -> new BrotliOutputStream(out, new Encoder.Parameters().setQuality(QUALITY));
      case "gzip" -> new GZIPOutputStream(out);
      case null -> out;
      default -> throw new IllegalArgumentException(coding);
    };
  }
}
