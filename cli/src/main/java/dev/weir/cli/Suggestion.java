package dev.weir.cli;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** The name that was probably meant by a word that is none. */
final class Suggestion {
  /** Changes of one letter, of which a swap of two is one, in so many letters. */
  private static final int LETTERS_A_CHANGE = 3;

  private Suggestion() {}

  /** The nearest of the names; empty if none is near. */
  static Optional<String> of(String word, Collection<String> names) {
    int most = (word.length() + LETTERS_A_CHANGE - 1) / LETTERS_A_CHANGE;
    return names.stream()
        .filter(name -> distance(word, name) <= most)
        .min(Comparator.comparingInt((String name) -> distance(word, name)));
  }

  /** What to say behind an unknown word; empty if nothing is near. */
  static String hint(String word, Collection<String> names) {
    return of(word, names).map(name -> " (did you mean '%s'?)".formatted(name)).orElse("");
  }

  /** Letters to add, drop, change, or swap with the next (optimal string alignment). */
  static int distance(String from, String to) {
    int[] beforeLast = new int[to.length() + 1];
    int[] last = new int[to.length() + 1];
    for (int j = 0; j <= to.length(); j++) {
      last[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int[] row = new int[to.length() + 1];
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        boolean same = from.charAt(i - 1) == to.charAt(j - 1);
        int change = last[j - 1] + (same ? 0 : 1);
        row[j] = Math.min(change, 1 + Math.min(last[j], row[j - 1]));
        boolean swapped =
            i > 1
                && j > 1
                && from.charAt(i - 1) == to.charAt(j - 2)
                && from.charAt(i - 2) == to.charAt(j - 1);
        if (swapped) {
          row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
        }
      }
      beforeLast = last;
      last = row;
    }
    return last[to.length()];
  }
}
