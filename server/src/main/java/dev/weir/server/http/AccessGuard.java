package dev.weir.server.http;

import dev.weir.streams.protocol.ProtocolException;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.util.AsciiString;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps off what a browser on this machine is made to send by pages of elsewhere.
 *
 * <ul>
 *   <li>A page may have its own name resolved to loopback, and is then of one origin with the node.
 *       So a node on loopback serves no name but those it knows.
 *   <li>A page may send a form, or a plain text, to any address without being asked first. So what
 *       changes something is refused to pages of other origins. Browsers say where a request comes
 *       from, in {@code Sec-Fetch-Site} or {@code Origin}; other clients say nothing, and are
 *       served.
 * </ul>
 *
 * <p>Immutable; any thread may ask.
 */
final class AccessGuard {
  static final int MISDIRECTED = 421;
  private static final int FORBIDDEN = 403;
  private static final AsciiString FETCH_SITE = AsciiString.cached("sec-fetch-site");
  private static final List<String> OWN_SITES = List.of("same-origin", "none");

  /** Names are not longer; what is longer is not repeated in an answer. */
  private static final int MAX_NAME_LENGTH = 253;

  private final AccessPolicy policy;
  private final boolean onLoopback;

  AccessGuard(AccessPolicy policy, boolean onLoopback) {
    this.policy = policy;
    this.onLoopback = onLoopback;
  }

  /**
   * Why a request is not served; null if it is.
   *
   * @param target the authority in its target, if it has one there: it counts as its host does
   */
  @Nullable ProtocolException refuse(HttpRequest request, @Nullable String target) {
    String host = request.headers().get(HttpHeaderNames.HOST);
    for (String name : named(host, target)) {
      if (!isServed(name)) {
        return new ProtocolException(
            MISDIRECTED,
            "this node is not known as %s; to serve that name, start it with --allow-host"
                .formatted(name.length() > MAX_NAME_LENGTH ? "that" : name));
      }
    }
    return isRead(request.method()) ? null : refusePage(request.headers(), host);
  }

  /** HTTP/1.0 names no host, and an empty name is none. */
  private static List<String> named(@Nullable String host, @Nullable String target) {
    List<String> names = new ArrayList<>();
    if (host != null && !host.isBlank()) {
      names.add(host.trim());
    }
    if (target != null) {
      names.add(target);
    }
    return names;
  }

  private boolean isServed(String name) {
    if (!onLoopback && policy.hosts().isEmpty()) {
      return true;
    }
    Authority authority = Authority.parse(name, /* defaultPort= */ 0);
    return authority != null
        && ((onLoopback && authority.isLoopback()) || policy.hosts().contains(authority.host()));
  }

  private static boolean isRead(HttpMethod method) {
    return method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD);
  }

  private @Nullable ProtocolException refusePage(HttpHeaders headers, @Nullable String host) {
    if (!headers.contains(HttpHeaderNames.ORIGIN) && !headers.contains(FETCH_SITE)) {
      return null;
    }
    List<String> origins = headers.getAll(HttpHeaderNames.ORIGIN);
    List<String> sites = headers.getAll(FETCH_SITE);
    if (!origins.isEmpty() && origins.stream().allMatch(this::isAllowed)) {
      return null;
    }
    boolean isOwn =
        sites.isEmpty()
            ? origins.stream().allMatch(origin -> isOwn(origin, host))
            : sites.stream().allMatch(OWN_SITES::contains);
    if (isOwn) {
      return null;
    }
    Origin origin = origins.size() == 1 ? Origin.parse(origins.getFirst()) : null;
    return new ProtocolException(
        FORBIDDEN,
        "pages of %s may change nothing here; to let them, start the node with --allow-origin"
            .formatted(
                origin == null || origin.authority().host().length() > MAX_NAME_LENGTH
                    ? "another origin"
                    : origin));
  }

  private boolean isAllowed(String origin) {
    Origin known = Origin.parse(origin);
    return known != null && policy.origins().contains(known.toString());
  }

  private static boolean isOwn(String origin, @Nullable String host) {
    Origin known = Origin.parse(origin);
    return known != null && known.isAt(host);
  }
}
