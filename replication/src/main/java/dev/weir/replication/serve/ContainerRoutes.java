package dev.weir.replication.serve;

import dev.weir.netty.log.FailureLog;
import dev.weir.replication.send.BodySource;
import dev.weir.replication.source.Container;
import dev.weir.replication.source.ManifestBuild;
import dev.weir.replication.source.Snapshot;
import dev.weir.replication.source.SourceException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Containers that are offered. For the connection's event loop. */
final class ContainerRoutes {
  private static final FailureLog LOG = new FailureLog(ContainerRoutes.class);

  /** Small manifests are there within this time, and are answered with at once. */
  private static final long PATIENCE_MILLIS = 500;

  private static final int MOST_PARTS = 3;

  private final Services services;

  ContainerRoutes(Services services) {
    this.services = services;
  }

  void route(Reply reply, HttpRequest request, QueryStringDecoder target, String[] parts) {
    if (parts.length == 1) {
      reply.answer(
          Answers.json(HttpResponseStatus.OK, List.copyOf(services.containers().keySet())));
      return;
    }
    Container container = parts.length == MOST_PARTS ? services.containers().get(parts[1]) : null;
    if (container == null) {
      reply.refuse(
          HttpResponseStatus.NOT_FOUND,
          Refusal.MISSING,
          "there is no '%s'; /containers lists what there is".formatted(target.rawPath()));
      return;
    }
    switch (parts[2]) {
      case "manifest" -> manifest(reply, request, container, target);
      case "bytes" -> bytes(reply, request, container);
      default ->
          reply.refuse(
              HttpResponseStatus.NOT_FOUND,
              Refusal.MISSING,
              "a container has /manifest and /bytes");
    }
  }

  private void manifest(
      Reply reply, HttpRequest request, Container container, QueryStringDecoder target) {
    List<String> asked = target.parameters().getOrDefault("build", List.of());
    ManifestBuild known = null;
    if (asked.size() == 1 && asked.getFirst().matches("[0-9]{1,18}")) {
      known = container.build(Long.parseLong(asked.getFirst()));
    }
    ManifestBuild build =
        known == null ? container.build(services.builder(), services.reading()) : known;
    boolean head = request.method().equals(HttpMethod.HEAD);
    String knownTag = request.headers().get(HttpHeaderNames.IF_NONE_MATCH, "");
    ChannelHandlerContext ctx = reply.context();
    // Whichever comes first: the manifest, or the end of our patience.
    Future<?> timeout =
        ctx.executor()
            .schedule(
                () -> {
                  if (reply.isOpen()) {
                    reply.answer(Answers.building(container.name(), build));
                  }
                },
                PATIENCE_MILLIS,
                TimeUnit.MILLISECONDS);
    var _ =
        build
            .result()
            .whenCompleteAsync(
                (snapshot, failure) -> {
                  if (timeout.cancel(false) && reply.isOpen()) {
                    manifestMade(reply, container, snapshot, failure, knownTag, head);
                  }
                },
                ctx.executor());
  }

  private void manifestMade(
      Reply reply,
      Container container,
      @Nullable Snapshot snapshot,
      @Nullable Throwable failure,
      String knownTag,
      boolean head) {
    if (snapshot == null) {
      Throwable cause =
          failure instanceof CompletionException && failure.getCause() != null
              ? failure.getCause()
              : failure;
      if (cause instanceof SourceException) {
        reply.refuse(
            HttpResponseStatus.CONFLICT, Refusal.CHANGED, String.valueOf(cause.getMessage()));
      } else {
        LOG.report("no manifest of " + container.name(), cause);
        reply.refuse(
            HttpResponseStatus.INTERNAL_SERVER_ERROR,
            Refusal.FAILED,
            "container '%s' cannot be read: %s".formatted(container.name(), cause));
      }
      return;
    }
    if (knownTag.strip().equals('"' + snapshot.tag() + '"')) {
      snapshot.use();
      reply.answer(Answers.unchanged(snapshot));
      return;
    }
    try {
      FileChannel file = FileChannel.open(snapshot.manifest(), StandardOpenOption.READ);
      HttpResponse answer = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
      answer
          .headers()
          .set(HttpHeaderNames.CONTENT_TYPE, "application/octet-stream")
          .set(HttpHeaderNames.ETAG, '"' + snapshot.tag() + '"')
          .set(HttpHeaderNames.CONTENT_LENGTH, file.size());
      snapshot.use();
      snapshot.tree().headers().forEach(answer.headers()::set);
      reply.send(answer, BodySource.of(file, "manifest", file.size()), head);
    } catch (IOException e) {
      LOG.report("a manifest cannot be read", e);
      reply.refuse(
          HttpResponseStatus.INTERNAL_SERVER_ERROR,
          Refusal.FAILED,
          "the manifest cannot be read: " + e);
    }
  }

  private void bytes(Reply reply, HttpRequest request, Container container) {
    String tag = request.headers().get(HttpHeaderNames.IF_MATCH);
    Snapshot snapshot =
        tag == null ? container.newest() : container.snapshot(tag.strip().replace("\"", ""));
    if (snapshot == null) {
      reply.refuse(
          HttpResponseStatus.PRECONDITION_FAILED,
          Refusal.CHANGED,
          "container '%s' has no manifest %s any more; ask for the manifest again"
              .formatted(container.name(), tag == null ? "yet" : tag));
      return;
    }
    long size = snapshot.summary().bytes();
    String asked = request.headers().get(HttpHeaderNames.RANGE);
    ByteRange range = asked == null ? new ByteRange(0, size - 1) : ByteRange.parse(asked, size);
    if (range == null) {
      FullHttpResponse answer =
          Answers.text(
              HttpResponseStatus.REQUESTED_RANGE_NOT_SATISFIABLE,
              "the range '%s' is no part of %d bytes; one range is served, as bytes=0-99"
                  .formatted(asked, size));
      answer.headers().set(HttpHeaderNames.CONTENT_RANGE, "bytes */" + size);
      services.figures().refused(Refusal.REQUEST);
      reply.answer(answer);
      return;
    }
    HttpResponse answer =
        new DefaultHttpResponse(
            HttpVersion.HTTP_1_1,
            asked == null ? HttpResponseStatus.OK : HttpResponseStatus.PARTIAL_CONTENT);
    answer
        .headers()
        .set(HttpHeaderNames.CONTENT_TYPE, "application/octet-stream")
        .set(HttpHeaderNames.ACCEPT_RANGES, HttpHeaderValues.BYTES)
        .set(HttpHeaderNames.ETAG, '"' + snapshot.tag() + '"')
        .set(HttpHeaderNames.CONTENT_LENGTH, range.length());
    if (asked != null) {
      answer
          .headers()
          .set(
              HttpHeaderNames.CONTENT_RANGE,
              "bytes %d-%d/%d".formatted(range.first(), range.last(), size));
    }
    try {
      reply.send(
          answer,
          BodySource.of(snapshot.slices(range.first(), range.length())),
          request.method().equals(HttpMethod.HEAD));
    } catch (SourceException e) {
      reply.refuse(HttpResponseStatus.CONFLICT, Refusal.CHANGED, String.valueOf(e.getMessage()));
    } catch (IOException e) {
      LOG.report("a container cannot be read", e);
      reply.refuse(
          HttpResponseStatus.INTERNAL_SERVER_ERROR,
          Refusal.FAILED,
          "container '%s' cannot be read: %s".formatted(container.name(), e));
    }
  }
}
