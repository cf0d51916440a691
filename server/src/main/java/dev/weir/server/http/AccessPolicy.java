package dev.weir.server.http;

import java.net.InetAddress;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Whose requests a node serves.
 *
 * @param hosts names, beside those of loopback, by which clients may reach a node that listens on
 *     loopback; where it listens elsewhere, the only names, or any if there are none here
 * @param origins of pages that may change what the node has, beside the node's own
 * @param connectionsPerAddress that a client's address may have open at once; 0 for any number.
 *     Loopback is not limited
 */
public record AccessPolicy(Set<String> hosts, Set<String> origins, int connectionsPerAddress) {
  /** Loopback's own names, no page of elsewhere, any number of connections. */
  public static final AccessPolicy DEFAULT = new AccessPolicy(Set.of(), Set.of(), 0);

  private static final Pattern HOST = Pattern.compile("[\\w.:\\[\\]-]+");

  /** Copies what is named. */
  public AccessPolicy {
    hosts = hosts.stream().map(AccessPolicy::host).collect(Collectors.toUnmodifiableSet());
    origins = origins.stream().map(AccessPolicy::origin).collect(Collectors.toUnmodifiableSet());
  }

  /**
   * A host in the form in which they are compared.
   *
   * @throws IllegalArgumentException if it is none, or has a port, in one line
   */
  public static String host(String text) {
    Authority authority = Authority.parse(text, /* defaultPort= */ 0);
    if (authority == null || authority.port() != 0 || !HOST.matcher(text).matches()) {
      throw new IllegalArgumentException(
          "'" + text + "' is no host; name one without a port, as weir.example.org or [fd00::1]");
    }
    return authority.host();
  }

  /**
   * An origin in the form in which they are compared.
   *
   * @throws IllegalArgumentException if it is none, in one line
   */
  public static String origin(String text) {
    Origin origin = Origin.parse(text);
    if (origin == null) {
      throw new IllegalArgumentException(
          "'" + text + "' is no origin; name scheme and host, as https://app.example.org");
    }
    return origin.toString();
  }

  /** What checks requests to a listener. */
  AccessGuard guard(InetAddress listener) {
    return new AccessGuard(this, listener.isLoopbackAddress());
  }
}
