package dev.weir.replication.serve;

import dev.weir.netty.log.FailureLog;
import dev.weir.replication.imports.Import;
import dev.weir.replication.imports.ImportRefusal;
import dev.weir.replication.imports.Imports;
import dev.weir.replication.manifest.ContainerName;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Containers that are pushed. For the connection's event loop. */
final class ImportRoutes {
  private static final FailureLog LOG = new FailureLog(ImportRoutes.class);

  /** Ranges in one answer; it says where the list goes on. */
  private static final int MOST_RANGES = 1000;

  /** What is checked within this time is answered with at once. */
  private static final long PATIENCE_MILLIS = 500;

  private final Services services;
  private final Imports imports;

  ImportRoutes(Services services, Imports imports) {
    this.services = services;
    this.imports = imports;
  }

  void route(Reply reply, HttpRequest request, QueryStringDecoder target, String[] parts) {
    if (services.clients() != null && !services.clients().allows(reply.context())) {
      reply.refuse(
          HttpResponseStatus.FORBIDDEN,
          Refusal.CLIENT,
          "the certificate of this client is not among those that may push (--import-clients)");
      return;
    }
    HttpMethod method = request.method();
    boolean reads = method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD);
    if (parts.length == 1) {
      if (method.equals(HttpMethod.POST)) {
        post(reply, request, target);
      } else if (reads) {
        reply.answer(
            Answers.json(
                HttpResponseStatus.OK,
                imports.all().stream().map(known -> figures(known)).toList()));
      } else {
        notAllowed(reply, "/imports has GET, HEAD and POST");
      }
      return;
    }
    Import known = parts.length == 2 ? imports.get(parts[1]) : null;
    if (known == null) {
      reply.refuse(
          HttpResponseStatus.NOT_FOUND,
          Refusal.MISSING,
          "there is no import '%s'; post its manifest again".formatted(target.rawPath()));
    } else if (known.isCancelled()) {
      reply.refuse(
          HttpResponseStatus.GONE,
          Refusal.MISSING,
          "the import '%s' was cancelled".formatted(known.id()));
    } else if (method.equals(HttpMethod.PATCH)) {
      patch(reply, request, known);
    } else if (method.equals(HttpMethod.DELETE)) {
      cancel(reply, known);
    } else if (reads) {
      describe(
          reply,
          known,
          HttpResponseStatus.OK,
          number(target, "first", 0),
          number(target, "last", Long.MAX_VALUE - 1));
    } else {
      notAllowed(reply, "an import has GET, HEAD, PATCH and DELETE");
    }
  }

  private static void notAllowed(Reply reply, String text) {
    reply.refuse(HttpResponseStatus.METHOD_NOT_ALLOWED, Refusal.REQUEST, text);
  }

  private static long number(QueryStringDecoder target, String name, long otherwise) {
    List<String> values = target.parameters().getOrDefault(name, List.of());
    return values.size() == 1 && values.getFirst().matches("[0-9]{1,18}")
        ? Long.parseLong(values.getFirst())
        : otherwise;
  }

  private void post(Reply reply, HttpRequest request, QueryStringDecoder target) {
    List<String> names = target.parameters().getOrDefault("name", List.of());
    if (names.size() != 1 || !ContainerName.isValid(names.getFirst())) {
      reply.refuse(
          HttpResponseStatus.BAD_REQUEST,
          Refusal.REQUEST,
          "say which container it is: POST /imports?name=NAME (%s)".formatted(ContainerName.RULE));
      return;
    }
    String name = names.getFirst();
    try {
      imports.refuseTaken(name);
      reply.receive(new PostedManifest(imports, name, begun -> whenChecked(reply, begun)));
      goOn(reply, request);
    } catch (IOException e) {
      refuse(reply, e);
    }
  }

  private static void goOn(Reply reply, HttpRequest request) {
    if (HttpUtil.is100ContinueExpected(request)) {
      reply
          .context()
          .writeAndFlush(
              new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE));
    }
  }

  private void whenChecked(Reply reply, Imports.Begun begun) {
    Import known = begun.known();
    ChannelHandlerContext ctx = reply.context();
    Future<?> timeout =
        ctx.executor()
            .schedule(
                () -> {
                  if (reply.isOpen()) {
                    FullHttpResponse answer =
                        Answers.json(HttpResponseStatus.ACCEPTED, figures(known));
                    answer.headers().set(HttpHeaderNames.LOCATION, "/imports/" + known.id());
                    reply.answer(answer);
                  }
                },
                PATIENCE_MILLIS,
                TimeUnit.MILLISECONDS);
    var _ =
        known
            .checked()
            .whenCompleteAsync(
                (checked, failure) -> {
                  if (!timeout.cancel(false) || !reply.isOpen()) {
                    return;
                  }
                  if (failure == null) {
                    describe(
                        reply,
                        known,
                        begun.isNew() ? HttpResponseStatus.CREATED : HttpResponseStatus.OK,
                        0,
                        Long.MAX_VALUE - 1);
                  } else {
                    refuse(reply, failure);
                  }
                },
                ctx.executor());
  }

  private static Map<String, Object> figures(Import known) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("id", known.id());
    row.put("container", known.name());
    row.put("state", Answers.label(known.state()));
    row.put("totalBytes", known.progress().totalBytes());
    row.put("verifiedBytes", known.progress().verifiedBytes());
    row.put("keptBytes", known.progress().keptBytes());
    if (!known.note().isEmpty()) {
      row.put("reason", known.note());
    }
    return row;
  }

  private void describe(
      Reply reply, Import known, HttpResponseStatus status, long first, long last) {
    var _ =
        imports
            .find(() -> known.missing(first, last, MOST_RANGES))
            .whenCompleteAsync(
                (missing, failure) -> {
                  if (!reply.isOpen()) {
                    return;
                  }
                  if (failure != null) {
                    refuse(reply, failure);
                    return;
                  }
                  Map<String, Object> row = figures(known);
                  row.put(
                      "missing",
                      missing.ranges().stream()
                          .map(range -> List.of(range.first(), range.last()))
                          .toList());
                  if (missing.next() >= 0) {
                    row.put("next", missing.next());
                  }
                  FullHttpResponse answer = Answers.json(status, row);
                  answer
                      .headers()
                      .set(HttpHeaderNames.LOCATION, "/imports/" + known.id())
                      .set("Weir-State", Answers.label(known.state()))
                      .set("Weir-Total-Bytes", known.progress().totalBytes())
                      .set("Weir-Verified-Bytes", known.progress().verifiedBytes());
                  reply.answer(answer);
                },
                reply.context().executor());
  }

  private void patch(Reply reply, HttpRequest request, Import known) {
    String stated = request.headers().get(HttpHeaderNames.CONTENT_RANGE, "");
    ByteRange range = ByteRange.parseContent(stated, known.spaceBytes());
    long length = HttpUtil.getContentLength(request, -1L);
    if (range == null || range.length() != length) {
      reply.refuse(
          HttpResponseStatus.BAD_REQUEST,
          Refusal.REQUEST,
          "Content-Range is '%s' and Content-Length %d: say bytes FIRST-LAST/%d, and its length"
              .formatted(stated, length, known.spaceBytes()));
      return;
    }
    try {
      reply.receive(new PatchedPart(reply, services.figures(), known, range));
      goOn(reply, request);
    } catch (IOException e) {
      refuse(reply, e);
    }
  }

  private void cancel(Reply reply, Import known) {
    try {
      imports.cancel(known);
      reply.answer(Answers.empty(HttpResponseStatus.NO_CONTENT));
    } catch (ImportRefusal e) {
      refuse(reply, e);
    }
  }

  private static void refuse(Reply reply, Throwable failure) {
    Refusals.Answer answer = Refusals.of(failure);
    if (answer.reason() == Refusal.FAILED) {
      LOG.report("an import fails", failure);
    }
    reply.refuse(answer.status(), answer.reason(), answer.text());
  }
}
