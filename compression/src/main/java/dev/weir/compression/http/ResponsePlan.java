package dev.weir.compression.http;

import static java.util.Objects.requireNonNull;

import dev.weir.compression.ContentCoding;
import dev.weir.netty.http.TransferCodings;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a response, by its head and by what the client accepts.
 *
 * @param action what to do
 * @param coding with what, for {@link Action#ENCODE} and {@link Action#HEAD_ONLY}
 * @param required whether the client refuses the response as it is
 * @param replaceable whether an error goes in its place then: one for a success alone, and for one
 *     that did nothing, since the client would do again what has been done
 */
record ResponsePlan(
    Action action, @Nullable ContentCoding coding, boolean required, boolean replaceable) {
  enum Action {
    /** It passes as it is. */
    PASS,
    /** It passes, and says that other clients may get it otherwise. */
    PASS_AND_VARY,
    /** It is to a {@code HEAD}, and gets the head that the compressed response would have. */
    HEAD_ONLY,
    /** It says of a compressed content that it has not changed. */
    NOT_MODIFIED,
    /** It is compressed, unless its content turns out not to be worth it. */
    ENCODE,
    /** The client accepts nothing that there is. */
    REFUSE
  }

  private static final ResponsePlan PASS = of(Action.PASS);
  private static final ResponsePlan PASS_AND_VARY = of(Action.PASS_AND_VARY);
  private static final ResponsePlan NOT_MODIFIED = of(Action.NOT_MODIFIED);
  private static final ResponsePlan REFUSE = of(Action.REFUSE);

  /** For clients that would take the response as it is, too: nearly all. */
  private static final Map<ContentCoding, ResponsePlan> ENCODE = encode();

  /** The coding of a plan that has one. */
  ContentCoding requireCoding() {
    if (coding == null) {
      throw new IllegalStateException(action + " has no coding");
    }
    return coding;
  }

  private static ResponsePlan of(Action action) {
    return new ResponsePlan(
        action, /* coding= */ null, /* required= */ false, /* replaceable= */ false);
  }

  private static Map<ContentCoding, ResponsePlan> encode() {
    Map<ContentCoding, ResponsePlan> plans = new EnumMap<>(ContentCoding.class);
    for (ContentCoding coding : ContentCoding.values()) {
      plans.put(
          coding,
          new ResponsePlan(Action.ENCODE, coding, /* required= */ false, /* replaceable= */ false));
    }
    return plans;
  }

  static ResponsePlan of(
      HttpResponse response, AskedFor asked, List<ContentCoding> offered, ResponseOptions options) {
    HttpResponseStatus status = response.status();
    if (isOutOfBounds(response, asked)) {
      return PASS;
    }
    long bytes = bytes(response, asked);
    if (bytes == 0 && !status.equals(HttpResponseStatus.NOT_MODIFIED)) {
      return PASS; // Nothing is in no coding, and everybody takes it.
    }
    ContentCoding coding = asked.accepted().choose(offered);
    boolean identity = asked.accepted().acceptsIdentity();
    String type = response.headers().get(HttpHeaderNames.CONTENT_TYPE);
    boolean compressible = type != null && options.compressible().test(type);
    if (status.equals(HttpResponseStatus.NOT_MODIFIED)) {
      boolean maybe = type == null || compressible || !identity;
      return maybe ? notModified(asked, coding) : PASS;
    }
    // Whether it is not known to be too short to be worth it.
    boolean worthIt = compressible && (bytes < 0 || bytes >= options.minBytes());
    boolean replaceable =
        !identity && asked.safe() && status.codeClass() == HttpStatusClass.SUCCESS;
    if (coding == null) {
      return replaceable ? REFUSE : worthIt ? PASS_AND_VARY : PASS;
    }
    if (identity && !worthIt) {
      return PASS;
    }
    if (!(response instanceof FullHttpResponse) && !(asked.chunks() && hasChunks(response))) {
      return replaceable ? REFUSE : PASS_AND_VARY;
    }
    if (asked.head()) {
      return new ResponsePlan(Action.HEAD_ONLY, coding, !identity, replaceable);
    }
    return identity
        ? requireNonNull(ENCODE.get(coding))
        : new ResponsePlan(Action.ENCODE, coding, /* required= */ true, replaceable);
  }

  /** Says what the response with a content would (RFC 9110, section 15.4.5), as far as is known. */
  private static ResponsePlan notModified(AskedFor asked, @Nullable ContentCoding coding) {
    return coding == null || asked.tags() == AskedTags.STRONG ? PASS_AND_VARY : NOT_MODIFIED;
  }

  /** Whether its version of HTTP lets a content of unknown length come in chunks. */
  private static boolean hasChunks(HttpResponse response) {
    return response.protocolVersion().compareTo(HttpVersion.HTTP_1_1) >= 0;
  }

  /**
   * No content, one that is encoded already, be it for the transfer, a part of one, or one that
   * nobody may transform.
   */
  private static boolean isOutOfBounds(HttpResponse response, AskedFor asked) {
    HttpHeaders headers = response.headers();
    HttpResponseStatus status = response.status();
    return status.codeClass() == HttpStatusClass.INFORMATIONAL
        || status.equals(HttpResponseStatus.NO_CONTENT)
        || status.equals(HttpResponseStatus.RESET_CONTENT)
        || status.equals(HttpResponseStatus.PARTIAL_CONTENT)
        || asked.connect()
        || !TransferCodings.areUndone(headers)
        || headers.contains(HttpHeaderNames.CONTENT_ENCODING)
        || headers.contains(HttpHeaderNames.CONTENT_RANGE)
        || (headers.contains(HttpHeaderNames.CACHE_CONTROL)
            && headers.containsValue(HttpHeaderNames.CACHE_CONTROL, "no-transform", true));
  }

  /** How long the content is, or would be; negative if that is not known. */
  private static long bytes(HttpResponse response, AskedFor asked) {
    return asked.head()
        ? HttpUtil.getContentLength(response, -1L)
        : ResponseHeads.contentBytes(response);
  }
}
