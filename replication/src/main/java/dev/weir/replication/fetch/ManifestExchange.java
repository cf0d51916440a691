package dev.weir.replication.fetch;

import dev.weir.replication.client.Exchange;
import dev.weir.replication.net.Lag;
import dev.weir.replication.receive.ManifestFile;
import dev.weir.replication.transfer.TransferException;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Asks for a manifest, and writes it into a file. */
final class ManifestExchange implements Exchange, Closeable {
  private final String path;
  private final String knownTag;
  private final ManifestFile file;
  private Consumer<Ending> onEnd = ending -> {};
  private String statedTag = "";
  private Lag lag = Lag.UNKNOWN;

  /** Asks for a path; only for another manifest than the known one, where that is not empty. */
  ManifestExchange(String path, String knownTag, Path target) throws IOException {
    this.path = path;
    this.knownTag = knownTag;
    this.file = new ManifestFile(target);
  }

  /** The same, which tells of its end. */
  ManifestExchange telling(Consumer<Ending> listener) {
    onEnd = listener;
    return this;
  }

  /** What the source has beyond the manifest; for whoever was told of the end. */
  Lag lag() {
    return lag;
  }

  /**
   * The SHA-256 of what came.
   *
   * @throws TransferException when the source has stated another
   */
  String tag() throws TransferException {
    String tag = file.tag();
    if (!statedTag.replace("\"", "").equals(tag)) {
      throw new TransferException(
          TransferException.Reason.CORRUPT,
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
    file.accept(part);
  }

  @Override
  public void ended(Ending ending) {
    onEnd.accept(ending);
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
