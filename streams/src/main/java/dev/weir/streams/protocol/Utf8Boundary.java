package dev.weir.streams.protocol;

/** Where text may be cut: not within a character of UTF-8. */
final class Utf8Boundary {
  private static final int MAX_CHARACTER_BYTES = 4;

  private Utf8Boundary() {}

  /** Bytes at the end that begin a character and do not complete it; 0 to 3. */
  static int incompleteBytes(byte[] text) {
    for (int back = 1; back < MAX_CHARACTER_BYTES && back <= text.length; back++) {
      int unit = Byte.toUnsignedInt(text[text.length - back]);
      if (unit < 0x80 || unit >= 0xC0) {
        return characterBytes(unit) > back ? back : 0;
      }
    }
    return 0;
  }

  /** The length of the character that begins so; 1 for what begins none. */
  private static int characterBytes(int first) {
    if (first < 0xC2 || first > 0xF4) {
      return 1;
    }
    return first < 0xE0 ? 2 : first < 0xF0 ? 3 : MAX_CHARACTER_BYTES;
  }
}
