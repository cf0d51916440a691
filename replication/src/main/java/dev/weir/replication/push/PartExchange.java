package dev.weir.replication.push;

import dev.weir.replication.client.ShortExchange;
import dev.weir.replication.send.BodySource;
import dev.weir.replication.source.Snapshot;
import dev.weir.replication.transfer.Progress;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import java.io.IOException;
import java.util.function.Consumer;

/** Brings a part. */
final class PartExchange extends ShortExchange {
  private final Part part;
  private final Snapshot snapshot;
  private final Progress progress;

  PartExchange(
      String path, Part part, Snapshot snapshot, Progress progress, Consumer<Ending> onEnd) {
    super(HttpMethod.PATCH, path, onEnd);
    this.part = part;
    this.snapshot = snapshot;
    this.progress = progress;
  }

  @Override
  public void headers(HttpHeaders headers) {
    headers
        .set(HttpHeaderNames.CONTENT_TYPE, "application/octet-stream")
        .set(
            HttpHeaderNames.CONTENT_RANGE,
            "bytes %d-%d/%d".formatted(part.first(), part.last(), snapshot.summary().bytes()));
  }

  @Override
  public Body body() throws IOException {
    return new Body(BodySource.of(snapshot.slices(part.first(), part.length())), part.length());
  }

  @Override
  public void sent(long bytes) {
    progress.sent(bytes);
  }
}
