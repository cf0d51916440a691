package dev.weir.server.http;

import dev.weir.server.console.Console;
import dev.weir.server.console.ProfileForm;
import dev.weir.server.console.ProfileQuery;
import dev.weir.streams.protocol.ProtocolException;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The live profile in one of its forms: {@code ?budget=node/uploads&older=30} is the part that a
 * budget and those below hold, and that has been live for more than so many seconds.
 */
final class ConsoleProfile implements ExchangeHandler {
  private static final int MAX_PARAMETERS = 8;
  private static final long MAX_AGE_SECONDS = Duration.ofDays(36_500).toSeconds();

  private final Console console;
  private final ProfileForm form;

  /** Whether this is one of the few answers that there are at a time. */
  private boolean counted;

  /** Who needs the place for it still: whoever makes it, and the exchange. */
  private final AtomicInteger users = new AtomicInteger(2);

  ConsoleProfile(Console console, ProfileForm form) {
    this.console = console;
    this.form = form;
  }

  @Override
  public void start(Exchange exchange) {
    ProfileQuery query;
    try {
      query = parse(exchange.request().uri());
      if (!console.hasProfile() && form != ProfileForm.DUMP) {
        throw new ProtocolException(
            404, "the node keeps no profile of live memory; start it with --profile 512K");
      }
    } catch (ProtocolException e) {
      exchange.refuse(e, EmptyHttpHeaders.INSTANCE);
      return;
    }
    counted = console.tryBeginAnswer();
    if (!counted) {
      exchange.refuse(
          503,
          "too many profiles are being sent",
          Headers.create().set(HttpHeaderNames.RETRY_AFTER, "1"));
      return;
    }
    CompletableFuture<byte[]> made = console.profile(form, query);
    // A client that has gone does not make room for the next while its answer is being made.
    made.whenComplete((bytes, failure) -> letGo());
    exchange.whenDone(
        made, bytes -> exchange.respond(HttpResponseStatus.OK, headers(), DirectBytes.of(bytes)));
  }

  private HttpHeaders headers() {
    // Made all at once, it may be megabytes, which the loop must not compress in one go.
    HttpHeaders headers = ConsoleHeaders.of(form.mediaType(), "no-store, no-transform");
    if (form == ProfileForm.PPROF) {
      headers.set(HttpHeaderNames.CONTENT_DISPOSITION, "attachment; filename=\"weir-live.pb.gz\"");
    }
    return headers;
  }

  @Override
  public void close() {
    if (counted) {
      counted = false;
      letGo();
    }
  }

  private void letGo() {
    if (users.decrementAndGet() == 0) {
      console.endAnswer();
    }
  }

  static ProfileQuery parse(String uri) throws ProtocolException {
    Map<String, List<String>> parameters;
    try {
      parameters =
          new QueryStringDecoder(uri, StandardCharsets.UTF_8, /* hasPath= */ true, MAX_PARAMETERS)
              .parameters();
    } catch (IllegalArgumentException e) {
      throw ProtocolException.badRequest("the query cannot be read: " + e.getMessage());
    }
    List<String> budget = parameters.get("budget");
    List<String> older = parameters.get("older");
    long seconds = 0;
    try {
      seconds = older == null ? 0 : Long.parseLong(older.getFirst());
    } catch (NumberFormatException e) {
      seconds = -1;
    }
    if (seconds < 0 || seconds > MAX_AGE_SECONDS) {
      throw ProtocolException.badRequest("the parameter older is not a number of seconds");
    }
    return new ProfileQuery(budget == null ? null : budget.getFirst(), Duration.ofSeconds(seconds));
  }
}
