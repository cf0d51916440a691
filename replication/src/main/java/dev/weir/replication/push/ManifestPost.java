package dev.weir.replication.push;

import dev.weir.replication.client.ShortExchange;
import dev.weir.replication.send.BodySource;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Consumer;

/** Posts a manifest. */
final class ManifestPost extends ShortExchange {
  private final Path manifest;

  ManifestPost(String container, Path manifest, Consumer<Ending> onEnd) {
    super(HttpMethod.POST, "/imports?name=" + container, onEnd);
    this.manifest = manifest;
  }

  @Override
  public void headers(HttpHeaders headers) {
    headers.set(HttpHeaderNames.CONTENT_TYPE, "application/octet-stream");
  }

  @Override
  public Body body() throws IOException {
    FileChannel file = FileChannel.open(manifest, StandardOpenOption.READ);
    return new Body(BodySource.of(file, "manifest", file.size()), file.size());
  }
}
