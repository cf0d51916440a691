package dev.weir.server.http;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where a page comes from, as browsers name it (RFC 6454).
 *
 * @param scheme {@code http} or {@code https}
 */
record Origin(String scheme, Authority authority) {
  private static final Pattern FORM = Pattern.compile("(https?)://([^/?#\\s]+)");

  /** The one that is named; null for {@code null} and for what is no origin of the web. */
  static @Nullable Origin parse(String text) {
    Matcher form = FORM.matcher(text.trim().toLowerCase(Locale.ROOT));
    if (!form.matches()) {
      return null;
    }
    Authority authority = Authority.parse(form.group(2), defaultPort(form.group(1)));
    return authority == null ? null : new Origin(form.group(1), authority);
  }

  private static int defaultPort(String scheme) {
    return scheme.equals("https") ? 443 : 80;
  }

  /**
   * Whether a request that names {@code host} goes to this origin. A proxy may have taken TLS off,
   * so the scheme does not count.
   */
  boolean isAt(@Nullable String host) {
    return host != null && authority.equals(Authority.parse(host, defaultPort(scheme)));
  }

  @Override
  public String toString() {
    boolean isDefault = authority.port() == defaultPort(scheme);
    return scheme + "://" + authority.host() + (isDefault ? "" : ":" + authority.port());
  }
}
