package dev.weir.streams.objects;

import java.util.List;

/**
 * What keys look like: see {@link ObjectStore}. Every store checks them before it does anything.
 */
public final class ObjectKeys {
  /** The longest key, in characters. */
  public static final int MAX_LENGTH = 512;

  /** The longest part between two slashes: it is a file's name in a directory. */
  public static final int MAX_PART_LENGTH = 200;

  /** The most keys of one listing, and of one deletion. */
  public static final int MAX_KEYS = 1_000;

  private ObjectKeys() {}

  /**
   * Gives back a key that is one.
   *
   * @throws IllegalArgumentException otherwise
   */
  public static String check(String key) {
    checkCharacters(key);
    int begin = 0;
    while (begin <= key.length()) {
      int slash = key.indexOf('/', begin);
      int end = slash < 0 ? key.length() : slash;
      checkPart(key, key.substring(begin, end));
      begin = end + 1;
    }
    return key;
  }

  /**
   * The same for what keys begin with; it may be empty, and end anywhere.
   *
   * @throws IllegalArgumentException otherwise
   */
  public static String checkPrefix(String prefix) {
    if (!prefix.isEmpty()) {
      checkCharacters(prefix);
    }
    return prefix;
  }

  /**
   * The same for keys to delete.
   *
   * @throws IllegalArgumentException there are too many, or one is none
   */
  public static List<String> check(List<String> keys) {
    if (keys.size() > MAX_KEYS) {
      throw new IllegalArgumentException(
          "%,d keys in one call, of at most %,d".formatted(keys.size(), MAX_KEYS));
    }
    List<String> copy = List.copyOf(keys);
    copy.forEach(ObjectKeys::check);
    return copy;
  }

  /**
   * The same for how many keys a listing may bring.
   *
   * @throws IllegalArgumentException otherwise
   */
  public static int checkMaxKeys(int maxKeys) {
    if (maxKeys < 1 || maxKeys > MAX_KEYS) {
      throw new IllegalArgumentException(
          "a listing of %,d keys: 1 to %,d".formatted(maxKeys, MAX_KEYS));
    }
    return maxKeys;
  }

  private static void checkCharacters(String key) {
    if (key.isEmpty() || key.length() > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "a key of %,d characters: 1 to %d".formatted(key.length(), MAX_LENGTH));
    }
    for (int i = 0; i < key.length(); i++) {
      char c = key.charAt(i);
      boolean isAllowed =
          (c >= 'a' && c <= 'z')
              || (c >= '0' && c <= '9')
              || c == '.'
              || c == '_'
              || c == '-'
              || c == '/';
      if (!isAllowed) {
        throw new IllegalArgumentException(
            "key '%s': character U+%04X at %d; allowed are a-z 0-9 . _ - /"
                .formatted(key, (int) c, i));
      }
    }
  }

  private static void checkPart(String key, String part) {
    if (part.isEmpty() || part.equals(".") || part.equals("..")) {
      throw new IllegalArgumentException(
          "key '%s': a part between slashes is '%s'".formatted(key, part));
    }
    if (part.length() > MAX_PART_LENGTH) {
      throw new IllegalArgumentException(
          "key '%s': a part between slashes of %d characters, of at most %d"
              .formatted(key, part.length(), MAX_PART_LENGTH));
    }
  }
}
