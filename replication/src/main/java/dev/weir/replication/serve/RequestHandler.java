package dev.weir.replication.serve;

import dev.weir.netty.log.FailureLog;
import dev.weir.replication.source.Container;
import dev.weir.replication.source.ManifestBuild;
import dev.weir.replication.source.Snapshot;
import dev.weir.replication.source.SourceException;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Answers the requests of one connection, one after the other.
 *
 * <pre>
 * GET /containers                  the names, as JSON
 * GET /containers/{id}/manifest    200 with the manifest; 202 while it is being made
 * GET /containers/{id}/bytes       with Range, and If-Match: the manifest's tag
 * </pre>
 */
final class RequestHandler extends ChannelInboundHandlerAdapter {
  private static final FailureLog LOG = new FailureLog(RequestHandler.class);

  /** Small manifests are there within this time, and are answered with at once. */
  private static final long PATIENCE_MILLIS = 500;

  private static final int MOST_PARTS = 3;

  private final Services services;
  private final boolean zeroCopy;
  private final boolean hasPlace;
  private @Nullable BodySender sender;
  private @Nullable PeerProgress progress;
  private @Nullable Future<?> idleWatch;
  private long idleSinceNanos;
  private boolean keepAlive;
  private boolean answering;
  private boolean requestEnded;

  RequestHandler(Services services, boolean zeroCopy, boolean hasPlace) {
    this.services = services;
    this.zeroCopy = zeroCopy;
    this.hasPlace = hasPlace;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    idleSinceNanos = System.nanoTime();
    long limitNanos = services.progressLimit().toNanos();
    idleWatch =
        ctx.executor()
            .scheduleAtFixedRate(
                () -> {
                  if (!answering && System.nanoTime() - idleSinceNanos > limitNanos) {
                    ctx.close();
                  }
                },
                limitNanos,
                limitNanos,
                TimeUnit.NANOSECONDS);
    ctx.read();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    try {
      if (message instanceof HttpRequest request) {
        requestEnded = false;
        answering = true;
        begin(ctx, request);
      }
      if (message instanceof HttpContent content && content.content().isReadable()) {
        keepAlive = false; // A body that nobody asked for.
      }
      if (message instanceof LastHttpContent) {
        requestEnded = true;
      }
      if (!requestEnded || !answering) {
        ctx.read();
      }
    } finally {
      ReferenceCountUtil.release(message);
    }
  }

  /** A read that brought nothing, such as part of a handshake, is forgotten by flow control. */
  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if (!requestEnded || !answering) {
      ctx.read();
    }
    ctx.fireChannelReadComplete();
  }

  private void begin(ChannelHandlerContext ctx, HttpRequest request) {
    keepAlive = HttpUtil.isKeepAlive(request) && hasPlace;
    if (request.decoderResult().isFailure()) {
      keepAlive = false;
      refuse(ctx, HttpResponseStatus.BAD_REQUEST, "this is no request of HTTP/1.1");
      return;
    }
    if (!hasPlace) {
      FullHttpResponse answer =
          Answers.text(
              HttpResponseStatus.SERVICE_UNAVAILABLE,
              ("all %d connections that the server's budget allows are in use;"
                      + " try again, or give it more --budget")
                  .formatted(services.mostConnections()));
      answer.headers().set(HttpHeaderNames.RETRY_AFTER, 1);
      services.figures().refused();
      answer(ctx, answer);
      return;
    }
    if (!request.method().equals(HttpMethod.GET) && !request.method().equals(HttpMethod.HEAD)) {
      keepAlive = false;
      refuse(ctx, HttpResponseStatus.METHOD_NOT_ALLOWED, "only GET and HEAD are understood");
      return;
    }
    route(ctx, request);
  }

  private void route(ChannelHandlerContext ctx, HttpRequest request) {
    QueryStringDecoder target = new QueryStringDecoder(request.uri());
    String[] parts = target.rawPath().replaceFirst("^/", "").split("/", -1);
    if (parts.length == 1 && parts[0].equals("containers")) {
      answer(ctx, Answers.json(HttpResponseStatus.OK, List.copyOf(services.containers().keySet())));
      return;
    }
    Container container =
        parts.length == MOST_PARTS && parts[0].equals("containers")
            ? services.containers().get(parts[1])
            : null;
    if (container == null) {
      refuse(
          ctx,
          HttpResponseStatus.NOT_FOUND,
          "there is no '%s'; /containers lists what there is".formatted(target.rawPath()));
      return;
    }
    switch (parts[2]) {
      case "manifest" -> manifest(ctx, request, container, target);
      case "bytes" -> bytes(ctx, request, container);
      default -> refuse(ctx, HttpResponseStatus.NOT_FOUND, "a container has /manifest and /bytes");
    }
  }

  private void manifest(
      ChannelHandlerContext ctx,
      HttpRequest request,
      Container container,
      QueryStringDecoder target) {
    List<String> asked = target.parameters().getOrDefault("build", List.of());
    ManifestBuild known = null;
    if (asked.size() == 1 && asked.getFirst().matches("[0-9]{1,18}")) {
      known = container.build(Long.parseLong(asked.getFirst()));
    }
    ManifestBuild build =
        known == null ? container.build(services.builder(), services.reading()) : known;
    boolean head = request.method().equals(HttpMethod.HEAD);
    String knownTag = request.headers().get(HttpHeaderNames.IF_NONE_MATCH, "");
    // Whichever comes first: the manifest, or the end of our patience.
    Future<?> timeout =
        ctx.executor()
            .schedule(
                () -> {
                  if (ctx.channel().isActive()) {
                    answer(ctx, Answers.building(container.name(), build));
                  }
                },
                PATIENCE_MILLIS,
                TimeUnit.MILLISECONDS);
    var _ =
        build
            .result()
            .whenCompleteAsync(
                (snapshot, failure) -> {
                  if (timeout.cancel(false) && ctx.channel().isActive()) {
                    manifestMade(ctx, container, snapshot, failure, knownTag, head);
                  }
                },
                ctx.executor());
  }

  private void manifestMade(
      ChannelHandlerContext ctx,
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
      if (!(cause instanceof SourceException)) {
        LOG.report("no manifest of " + container.name(), cause);
      }
      refuse(
          ctx,
          cause instanceof SourceException
              ? HttpResponseStatus.CONFLICT
              : HttpResponseStatus.INTERNAL_SERVER_ERROR,
          cause instanceof SourceException
              ? String.valueOf(cause.getMessage())
              : "container '%s' cannot be read: %s".formatted(container.name(), cause));
      return;
    }
    if (knownTag.strip().equals('"' + snapshot.tag() + '"')) {
      snapshot.use();
      answer(ctx, Answers.unchanged(snapshot));
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
      send(ctx, answer, BodySource.of(file, "manifest", file.size()), head);
    } catch (IOException e) {
      LOG.report("a manifest cannot be read", e);
      refuse(ctx, HttpResponseStatus.INTERNAL_SERVER_ERROR, "the manifest cannot be read: " + e);
    }
  }

  private void bytes(ChannelHandlerContext ctx, HttpRequest request, Container container) {
    String tag = request.headers().get(HttpHeaderNames.IF_MATCH);
    Snapshot snapshot =
        tag == null ? container.newest() : container.snapshot(tag.strip().replace("\"", ""));
    if (snapshot == null) {
      refuse(
          ctx,
          HttpResponseStatus.PRECONDITION_FAILED,
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
      services.figures().refused();
      answer(ctx, answer);
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
      send(
          ctx,
          answer,
          BodySource.of(snapshot.slices(range.first(), range.length())),
          request.method().equals(HttpMethod.HEAD));
    } catch (SourceException e) {
      refuse(ctx, HttpResponseStatus.CONFLICT, String.valueOf(e.getMessage()));
    } catch (IOException e) {
      LOG.report("a container cannot be read", e);
      refuse(
          ctx,
          HttpResponseStatus.INTERNAL_SERVER_ERROR,
          "container '%s' cannot be read: %s".formatted(container.name(), e));
    }
  }

  private void send(
      ChannelHandlerContext ctx, HttpResponse answer, BodySource source, boolean headOnly)
      throws IOException {
    BodySender body =
        new BodySender(
            ctx, source, zeroCopy, services.rate(), services.figures(), end -> sent(ctx, end));
    try {
      body.open();
    } catch (IOException e) {
      source.close();
      throw e;
    }
    ctx.write(answer, ctx.voidPromise());
    sender = body;
    PeerProgress watch =
        new PeerProgress(
            ctx.channel(),
            services.progressLimit(),
            body::isWaiting,
            () -> body.stop(new IOException("the peer takes nothing")));
    progress = watch;
    watch.start();
    if (headOnly) {
      ctx.write(LastHttpContent.EMPTY_LAST_CONTENT, ctx.voidPromise());
      ctx.flush();
      body.stop(null);
    } else {
      body.pump();
    }
  }

  private void sent(ChannelHandlerContext ctx, @Nullable Throwable failure) {
    sender = null;
    if (progress != null) {
      progress.stop();
      progress = null;
    }
    if (failure != null) {
      // The body ends short of its length, so the peer knows.
      LOG.report("a body ended early for " + ctx.channel().remoteAddress(), failure);
      ctx.close();
      return;
    }
    next(ctx);
  }

  private void next(ChannelHandlerContext ctx) {
    answering = false;
    idleSinceNanos = System.nanoTime();
    if (!keepAlive) {
      ctx.close();
    } else if (requestEnded) {
      ctx.read();
    }
  }

  private void refuse(ChannelHandlerContext ctx, HttpResponseStatus status, String reason) {
    services.figures().refused();
    answer(ctx, Answers.text(status, reason));
  }

  private void answer(ChannelHandlerContext ctx, FullHttpResponse answer) {
    if (!keepAlive) {
      answer.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    }
    ctx.writeAndFlush(answer)
        .addListener(
            (ChannelFutureListener)
                written -> {
                  if (written.isSuccess()) {
                    next(ctx);
                  } else {
                    ctx.close();
                  }
                });
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (sender != null) {
      sender.pump();
    }
    ctx.fireChannelWritabilityChanged();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    answering = false;
    if (idleWatch != null) {
      idleWatch.cancel(false);
    }
    if (sender != null) {
      sender.stop(new IOException("the peer has closed the connection"));
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    LOG.report("a connection fails", cause instanceof IOException ? null : cause);
    if (sender != null) {
      sender.stop(cause);
    } else {
      ctx.close();
    }
  }
}
