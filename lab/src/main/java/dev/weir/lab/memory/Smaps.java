package dev.weir.lab.memory;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Reads {@code /proc/self/smaps}: how much of a range of addresses the kernel holds resident. The
 * kernel walks the page tables on each read, which takes about a millisecond per 256 MiB. Not
 * thread-safe: it reuses its buffer.
 *
 * <p>A mapping begins with a line {@code 7f00-7fff rw-p …}; its resident size is in a line {@code
 * Rss: 12 kB} below. Mappings never straddle the range: the reservation is one mapping or several
 * that tile it, and its neighbours have flags of their own.
 */
public final class Smaps {
  private static final Path FILE = Path.of("/proc/self/smaps");
  private static final int KIB = 1024;

  private byte[] text = new byte[256 * KIB];
  private int length;

  /** Whether this system has such a file. */
  public static boolean isAvailable() {
    return Files.isReadable(FILE);
  }

  /**
   * The resident bytes of the mappings that begin in {@code range}.
   *
   * @throws IOException if the file cannot be read
   */
  public long rssBytes(AddressRange range) throws IOException {
    readFile();
    return rssBytes(text, length, range);
  }

  /** The same of a given text. */
  static long rssBytes(byte[] text, int length, AddressRange range) {
    long rssBytes = 0;
    boolean inside = false;
    for (int line = 0; line < length; line = nextLine(text, line, length)) {
      if (beginsMapping(text[line])) {
        int dash = line;
        while (text[dash] != '-') {
          dash++;
        }
        inside = range.overlapBytes(hex(text, line), hex(text, dash + 1)) > 0;
      } else if (inside && text[line] == 'R' && text[line + 1] == 's' && text[line + 3] == ':') {
        rssBytes += decimal(text, line + 4) * KIB;
      }
    }
    return rssBytes;
  }

  private void readFile() throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(FILE.toFile(), "r")) {
      length = 0;
      for (int read = 0; read >= 0; read = file.read(text, length, text.length - length)) {
        length += read;
        if (length == text.length) {
          text = Arrays.copyOf(text, 2 * length);
        }
      }
    }
  }

  private static int nextLine(byte[] text, int from, int length) {
    int at = from;
    while (at < length && text[at] != '\n') {
      at++;
    }
    return at + 1;
  }

  /** Addresses are in lower case, and every other line begins with a capital. */
  private static boolean beginsMapping(byte c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  }

  private static boolean isHexDigit(byte c) {
    return Character.digit(c, 16) >= 0;
  }

  private static long hex(byte[] text, int from) {
    long value = 0;
    for (int at = from; isHexDigit(text[at]); at++) {
      value = value << 4 | Character.digit(text[at], 16);
    }
    return value;
  }

  private static long decimal(byte[] text, int from) {
    int at = from;
    while (text[at] == ' ' || text[at] == '\t') {
      at++;
    }
    long value = 0;
    for (; text[at] >= '0' && text[at] <= '9'; at++) {
      value = value * 10 + (text[at] - '0');
    }
    return value;
  }
}
