package dev.weir.compression.zstd;

import java.util.Arrays;

/**
 * What both sides know beforehand: short texts of one kind become much shorter with it. Immutable,
 * and equal by its contents.
 */
public final class ZstdDictionary {
  /** Begins what {@code zstd --train} makes; anything else is content without tables. */
  private static final int MAGIC = 0xEC30A437;

  private static final int MAX_BYTES = 8 << 20;
  private static final int HEADER_BYTES = 8;

  private final byte[] content;
  private final int hash;

  private ZstdDictionary(byte[] content) {
    this.content = content;
    this.hash = Arrays.hashCode(content);
  }

  /**
   * Takes a trained dictionary, or any content that streams have in common.
   *
   * @param content from 8 bytes to 8 MiB; copied
   */
  public static ZstdDictionary of(byte[] content) {
    if (content.length < HEADER_BYTES || content.length > MAX_BYTES) {
      throw new IllegalArgumentException(
          "dictionary of %,d bytes (expected: %d to %,d)"
              .formatted(content.length, HEADER_BYTES, MAX_BYTES));
    }
    return new ZstdDictionary(content.clone());
  }

  /** The number that frames name it by; 0 for content that was not trained. */
  public int id() {
    return littleEndian(0) == MAGIC ? littleEndian(Integer.BYTES) : 0;
  }

  /** How long it is. */
  public int bytes() {
    return content.length;
  }

  /** The content itself, which nobody may change. */
  byte[] content() {
    return content;
  }

  private int littleEndian(int index) {
    return (content[index] & 0xff)
        | (content[index + 1] & 0xff) << 8
        | (content[index + 2] & 0xff) << 16
        | (content[index + 3] & 0xff) << 24;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ZstdDictionary dictionary
        && hash == dictionary.hash
        && Arrays.equals(content, dictionary.content);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    return "ZstdDictionary[id %d, %,d bytes]".formatted(id(), content.length);
  }
}
