package dev.weir.replication.serve;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A range of the byte space, both ends within it (RFC 9110, section 14). */
record ByteRange(long first, long last) {
  private static final Pattern FORM = Pattern.compile("bytes=([0-9]{0,19})-([0-9]{0,19})");

  private static final Pattern CONTENT =
      Pattern.compile("bytes ([0-9]{1,18})-([0-9]{1,18})/([0-9]{1,18})");

  long length() {
    return last - first + 1;
  }

  /**
   * Reads the range of a body, as {@code bytes 0-99/1000}.
   *
   * @return null when the text is no such range, or one of another size
   */
  static @Nullable ByteRange parseContent(String text, long size) {
    Matcher form = CONTENT.matcher(text.strip());
    if (!form.matches() || Long.parseLong(form.group(3)) != size) {
      return null;
    }
    ByteRange range = new ByteRange(Long.parseLong(form.group(1)), Long.parseLong(form.group(2)));
    return range.first() > range.last() || range.last() >= size ? null : range;
  }

  /**
   * Reads one range, as {@code bytes=0-99}, {@code bytes=100-} or {@code bytes=-100}.
   *
   * @return null when the text is no such range, or lies beyond so many bytes
   */
  static @Nullable ByteRange parse(String text, long size) {
    Matcher form = FORM.matcher(text.strip());
    if (!form.matches()) {
      return null;
    }
    try {
      String first = form.group(1);
      String last = form.group(2);
      ByteRange range;
      if (first.isEmpty()) {
        long suffix = Long.parseLong(last);
        range = suffix == 0 ? null : new ByteRange(Math.max(0, size - suffix), size - 1);
      } else {
        long end = last.isEmpty() ? size - 1 : Math.min(size - 1, Long.parseLong(last));
        range = new ByteRange(Long.parseLong(first), end);
      }
      return range == null || range.first() > range.last() ? null : range;
    } catch (NumberFormatException tooLarge) {
      return null;
    }
  }
}
