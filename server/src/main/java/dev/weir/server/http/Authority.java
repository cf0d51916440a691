package dev.weir.server.http;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A host and a port in one form, however they were written.
 *
 * @param host a name in lower case without the dot that may end it, or an address; one of IPv6 is
 *     in brackets, and as short as it can be
 * @param port of TCP
 */
record Authority(String host, int port) {
  private static final int MAX_PORT = 65_535;
  private static final int MAX_PORT_DIGITS = 5;
  private static final String LOCALHOST = "localhost";

  /**
   * Reads an authority of RFC 3986.
   *
   * @param defaultPort where the text names none
   * @return null if the text is no host, or has more than a host and a port
   */
  static @Nullable Authority parse(String text, int defaultPort) {
    String trimmed = text.trim();
    int end = trimmed.startsWith("[") ? trimmed.indexOf(']') + 1 : trimmed.indexOf(':');
    int hostEnd = end < 0 ? trimmed.length() : end;
    String host = host(trimmed.substring(0, hostEnd).toLowerCase(Locale.ROOT));
    int port = port(trimmed.substring(hostEnd), defaultPort);
    return host == null || port < 0 ? null : new Authority(host, port);
  }

  private static @Nullable String host(String text) {
    if (text.startsWith("[")) {
      return address(text.substring(1, text.length() - 1));
    }
    String name = text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
    return name.isEmpty() || name.indexOf('@') >= 0 || name.indexOf(']') >= 0 ? null : name;
  }

  private static @Nullable String address(String literal) {
    byte[] bytes =
        literal.indexOf('%') >= 0 ? null : NetUtil.createByteArrayFromIpAddressString(literal);
    if (bytes == null) {
      return null;
    }
    try {
      String shortest = NetUtil.toAddressString(InetAddress.getByAddress(bytes));
      return shortest.indexOf(':') < 0 ? shortest : "[" + shortest + "]";
    } catch (UnknownHostException e) {
      throw new IllegalStateException("an address of " + bytes.length + " bytes", e);
    }
  }

  /** −1 if the text is no port. */
  private static int port(String text, int defaultPort) {
    if (text.isEmpty() || text.equals(":")) {
      return defaultPort;
    }
    String digits = text.substring(1);
    boolean isNumber =
        text.charAt(0) == ':'
            && digits.length() <= MAX_PORT_DIGITS
            && digits.chars().allMatch(c -> c >= '0' && c <= '9');
    int port = isNumber ? Integer.parseInt(digits) : -1;
    return port <= MAX_PORT ? port : -1;
  }

  /** Whether the host is this machine for every resolver: no name server has a say in it. */
  boolean isLoopback() {
    return host.equals(LOCALHOST)
        || host.equals("[::1]")
        || (host.startsWith("127.") && NetUtil.isValidIpV4Address(host));
  }
}
