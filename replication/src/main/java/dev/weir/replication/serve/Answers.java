package dev.weir.replication.serve;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.replication.source.ManifestBuild;
import dev.weir.replication.source.Snapshot;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.jr.ob.JSON;

/** Short answers. */
final class Answers {
  private static final int MOST_TEXT = 2000;

  private Answers() {}

  static FullHttpResponse text(HttpResponseStatus status, String text) {
    String shown = text.length() > MOST_TEXT ? text.substring(0, MOST_TEXT) + "…" : text;
    return of(status, "text/plain; charset=utf-8", shown + '\n');
  }

  static FullHttpResponse json(HttpResponseStatus status, Object value) {
    return of(status, "application/json", JSON.std.asString(value) + '\n');
  }

  /** That a manifest is being made, how far it is, and where to ask again. */
  static FullHttpResponse building(String container, ManifestBuild build) {
    Map<String, Object> progress = new LinkedHashMap<>();
    progress.put("container", container);
    progress.put("files", build.files());
    progress.put("bytes", build.bytes());
    FullHttpResponse answer = json(HttpResponseStatus.ACCEPTED, progress);
    answer
        .headers()
        .set(
            HttpHeaderNames.LOCATION,
            "/containers/%s/manifest?build=%d".formatted(container, build.number()))
        .set(HttpHeaderNames.RETRY_AFTER, 1);
    return answer;
  }

  /** That a manifest is the one that the client has. */
  static FullHttpResponse unchanged(Snapshot snapshot) {
    FullHttpResponse answer =
        new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.NOT_MODIFIED);
    answer.headers().set(HttpHeaderNames.ETAG, '"' + snapshot.tag() + '"');
    snapshot.tree().headers().forEach(answer.headers()::set);
    return answer;
  }

  private static FullHttpResponse of(HttpResponseStatus status, String type, String body) {
    FullHttpResponse answer =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1, status, Unpooled.wrappedBuffer(body.getBytes(UTF_8)));
    answer
        .headers()
        .set(HttpHeaderNames.CONTENT_TYPE, type)
        .set(HttpHeaderNames.CONTENT_LENGTH, answer.content().readableBytes());
    return answer;
  }
}
