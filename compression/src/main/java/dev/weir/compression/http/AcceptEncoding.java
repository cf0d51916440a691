package dev.weir.compression.http;

import dev.weir.compression.ContentCoding;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What codings a client accepts (RFC 9110, section 12.5.3), as weights in thousandths. Elements
 * that make no sense count as not there; of one that comes twice the larger weight counts.
 */
public final class AcceptEncoding {
  /** No field: a client that says nothing gets what every client understands. */
  public static final AcceptEncoding NOT_SENT = new AcceptEncoding();

  private static final int UNSET = -1;
  private static final int MOST = 1000;

  private int zstd = UNSET;
  private int brotli = UNSET;
  private int gzip = UNSET;
  private int identity = UNSET;
  private int any = UNSET;

  private AcceptEncoding() {}

  /** Reads the values of all such fields of a request. */
  public static AcceptEncoding parse(List<String> values) {
    if (values.isEmpty()) {
      return NOT_SENT;
    }
    AcceptEncoding accepted = new AcceptEncoding();
    for (String value : values) {
      int start = 0;
      while (start <= value.length()) {
        int comma = value.indexOf(',', start);
        int end = comma < 0 ? value.length() : comma;
        accepted.take(value, start, end);
        start = end + 1;
      }
    }
    return accepted;
  }

  /** Takes the element from {@code start} to {@code end}. */
  private void take(String value, int start, int end) {
    int semicolon = value.indexOf(';', start);
    boolean weighted = semicolon >= 0 && semicolon < end;
    int weight = weighted ? weight(value, semicolon + 1, end) : MOST;
    if (weight < 0) {
      return;
    }
    int tokenStart = skipSpace(value, start, end);
    int tokenEnd = dropSpace(value, tokenStart, weighted ? semicolon : end);
    if (is("zstd", value, tokenStart, tokenEnd)) {
      zstd = Math.max(zstd, weight);
    } else if (is("br", value, tokenStart, tokenEnd)) {
      brotli = Math.max(brotli, weight);
    } else if (is("gzip", value, tokenStart, tokenEnd)
        || is("x-gzip", value, tokenStart, tokenEnd)) {
      gzip = Math.max(gzip, weight);
    } else if (is("identity", value, tokenStart, tokenEnd)) {
      identity = Math.max(identity, weight);
    } else if (is("*", value, tokenStart, tokenEnd)) {
      any = Math.max(any, weight);
    }
  }

  private static boolean is(String name, String value, int start, int end) {
    return end - start == name.length()
        && value.regionMatches(/* ignoreCase= */ true, start, name, 0, name.length());
  }

  private static int skipSpace(String value, int start, int end) {
    int at = start;
    while (at < end && isSpace(value.charAt(at))) {
      at++;
    }
    return at;
  }

  private static int dropSpace(String value, int start, int end) {
    int at = end;
    while (at > start && isSpace(value.charAt(at - 1))) {
      at--;
    }
    return at;
  }

  private static boolean isSpace(char c) {
    return c == ' ' || c == '\t';
  }

  /** The weight in a parameter {@code q=0.5}, in thousandths; negative if it is none. */
  private static int weight(String value, int from, int to) {
    int start = skipSpace(value, from, to);
    int length = dropSpace(value, start, to) - start;
    if (length < 3
        || length > 7
        || (value.charAt(start) | 0x20) != 'q'
        || value.charAt(start + 1) != '=') {
      return UNSET;
    }
    char whole = value.charAt(start + 2);
    if (whole != '0' && whole != '1') {
      return UNSET;
    }
    int thousandths = (whole - '0') * MOST;
    int unit = MOST;
    for (int i = 3; i < length; i++) {
      char c = value.charAt(start + i);
      if (i == 3 ? c != '.' : c < '0' || c > '9') {
        return UNSET;
      }
      if (i > 3) {
        unit /= 10;
        thousandths += (c - '0') * unit;
      }
    }
    return thousandths <= MOST ? thousandths : UNSET;
  }

  /** How much the client wants a coding, in thousandths; 0 if it does not accept it. */
  public int weightOf(ContentCoding coding) {
    int named =
        switch (coding) {
          case ZSTD -> zstd;
          case BROTLI -> brotli;
          case GZIP -> gzip;
        };
    return Math.max(named == UNSET ? any : named, 0);
  }

  /** Whether the client takes a response that is not compressed. */
  public boolean acceptsIdentity() {
    return identity == UNSET ? any != 0 : identity > 0;
  }

  /**
   * The coding that the client wants most, and among equals the first.
   *
   * @param offered what there is, the server's preference first
   * @return null if it accepts none, or would rather have the response as it is
   */
  public @Nullable ContentCoding choose(List<ContentCoding> offered) {
    ContentCoding best = null;
    int bestWeight = 0;
    for (ContentCoding coding : offered) {
      int weight = weightOf(coding);
      if (weight > bestWeight) {
        best = coding;
        bestWeight = weight;
      }
    }
    return bestWeight < identity ? null : best;
  }
}
