package dev.weir.replication.fetch;

import dev.weir.replication.manifest.Sha256;
import dev.weir.replication.net.Lag;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;

/** Asks for a manifest, and writes it into a file. */
final class ManifestExchange implements Exchange, Closeable {
  /** Some 50 million entries. */
  private static final long MOST_BYTES = 4L << 30;

  private final String path;
  private final String knownTag;
  private final FileChannel file;
  private final MessageDigest digest = Sha256.start();
  private final CompletableFuture<Ending> end = new CompletableFuture<>();
  private long bytes;
  private String statedTag = "";
  private Lag lag = Lag.UNKNOWN;

  /** Asks for a path; only for another manifest than the known one, where that is not empty. */
  ManifestExchange(String path, String knownTag, Path target) throws IOException {
    this.path = path;
    this.knownTag = knownTag;
    this.file =
        FileChannel.open(
            target,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING);
  }

  CompletableFuture<Ending> end() {
    return end;
  }

  /** What the source has beyond the manifest; for whoever was told of the end. */
  Lag lag() {
    return lag;
  }

  /**
   * The SHA-256 of what came.
   *
   * @throws FetchException when the source has stated another
   */
  String tag() throws FetchException {
    String tag = HexFormat.of().formatHex(digest.digest());
    if (!statedTag.replace("\"", "").equals(tag)) {
      throw new FetchException(
          FetchException.Reason.CORRUPT,
          "the manifest has the SHA-256 %s, and the source says %s: fetch again"
              .formatted(tag, statedTag),
          null);
    }
    return tag;
  }

  @Override
  public String path() {
    return path;
  }

  @Override
  public void headers(HttpHeaders headers) {
    if (!knownTag.isEmpty()) {
      headers.set(HttpHeaderNames.IF_NONE_MATCH, '"' + knownTag + '"');
    }
  }

  @Override
  public boolean accepts(int status, HttpHeaders headers) {
    lag = Lag.of(headers);
    statedTag = headers.get(HttpHeaderNames.ETAG, "");
    return status == 200;
  }

  @Override
  public void accept(ByteBuf part) throws IOException {
    bytes += part.readableBytes();
    if (bytes > MOST_BYTES) {
      throw FetchException.refused(
          "the manifest has more than %,d bytes: split the container".formatted(MOST_BYTES));
    }
    ByteBuffer content = part.nioBuffer();
    digest.update(content.duplicate());
    while (content.hasRemaining()) {
      file.write(content);
    }
  }

  @Override
  public void ended(Ending ending) {
    end.complete(ending);
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
