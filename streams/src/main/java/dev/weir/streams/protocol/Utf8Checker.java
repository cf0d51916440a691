package dev.weir.streams.protocol;

/** Whether bytes are well-formed UTF-8 (Unicode, table 3-7), one at a time. */
final class Utf8Checker {
  private int left;
  private int lowest;
  private int highest;

  /** Takes a byte; false when it cannot come here. */
  boolean accept(byte b) {
    int value = b & 0xff;
    if (left > 0) {
      boolean allowed = value >= lowest && value <= highest;
      left--;
      lowest = 0x80;
      highest = 0xbf;
      return allowed;
    }
    if (value < 0x80) {
      return true;
    }
    lowest = value == 0xe0 ? 0xa0 : value == 0xf0 ? 0x90 : 0x80;
    highest = value == 0xed ? 0x9f : value == 0xf4 ? 0x8f : 0xbf;
    if (value >= 0xc2 && value <= 0xdf) {
      left = 1;
    } else if (value >= 0xe0 && value <= 0xef) {
      left = 2;
    } else if (value >= 0xf0 && value <= 0xf4) {
      left = 3;
    } else {
      return false;
    }
    return true;
  }
}
