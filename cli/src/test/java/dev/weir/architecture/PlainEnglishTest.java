package dev.weir.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The prose of documents: sentences that a reader takes in at once. Tables and code are left out.
 */
class PlainEnglishTest {
  private static final int MOST_WORDS = 35;
  private static final double MOST_ON_AVERAGE = 18;

  static Stream<String> documents() throws IOException {
    List<Path> documents = new ArrayList<>();
    for (String folder : List.of("", "docs", "docs/guide", "docs/evidence")) {
      try (Stream<Path> files = Files.list(Sources.ROOT.resolve(folder))) {
        files.filter(file -> file.toString().endsWith(".md")).forEach(documents::add);
      }
    }
    return documents.stream()
        .map(file -> Sources.ROOT.relativize(file).toString())
        .filter(name -> !name.equals("CHANGELOG.md"));
  }

  @ParameterizedTest
  @MethodSource("documents")
  void sentencesAreShort(String document) throws IOException {
    List<String> sentences = sentences(Files.readString(Sources.ROOT.resolve(document)));

    assertThat(sentences)
        .as(document)
        .isNotEmpty()
        .allSatisfy(
            sentence -> assertThat(words(sentence)).as(sentence).isLessThanOrEqualTo(MOST_WORDS));
    assertThat(sentences.stream().mapToInt(PlainEnglishTest::words).average().orElseThrow())
        .as("words a sentence in " + document)
        .isLessThanOrEqualTo(MOST_ON_AVERAGE);
  }

  @Test
  void proseIsToldFromTheRest() {
    String document =
        """
        # A heading is none

        One sentence of prose. Another, which
        goes on.

        | a | table |
        |---|---|

        ```
        code. is. none.
        ```

        - An item of a list
        - Version 1.2 of it
        """;
    assertThat(sentences(document))
        .containsExactly(
            "One sentence of prose.",
            "Another, which goes on.",
            "An item of a list",
            "Version 1.2 of it");
  }

  private static List<String> sentences(String document) {
    List<String> paragraphs = new ArrayList<>();
    boolean inCode = false;
    boolean goesOn = false;
    for (String line : document.split("\n")) {
      String text = line.strip();
      inCode ^= text.startsWith("```");
      if (inCode || text.isEmpty() || text.matches("([|#`!<]|\\[.*]:).*")) {
        goesOn = false;
        continue;
      }
      String item = text.replaceFirst("^([-*>]|\\d+\\.) +", "");
      if (goesOn && item.equals(text)) {
        paragraphs.set(paragraphs.size() - 1, paragraphs.getLast() + " " + text);
      } else {
        paragraphs.add(item);
      }
      goesOn = true;
    }
    return paragraphs.stream()
        .flatMap(paragraph -> List.of(paragraph.split("(?<=[.!?·])\\**\\s+")).stream())
        .toList();
  }

  private static int words(String sentence) {
    return sentence.replaceAll("\\]\\([^)]*\\)", "]").strip().split("\\s+").length;
  }
}
