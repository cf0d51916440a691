package dev.weir.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the sources look like, where the compiler and the formatter have no opinion. */
class TidyTest {
  private static final int MAX_LINES = 600;

  /** Split, so that this file does not find itself. */
  private static final Pattern UNFINISHED =
      Pattern.compile("\\b(TO" + "DO|FIX" + "ME|XX" + "X)\\b");

  private static final Pattern SWITCHED_OFF = Pattern.compile("@Dis" + "abled\\b|@Ign" + "ore\\b");

  @Test
  void theSourcesAreFound() {
    assertThat(Sources.main()).anyMatch(file -> file.endsWith("dev/weir/cli/Main.java"));
    assertThat(Sources.all())
        .anyMatch(file -> file.endsWith("dev/weir/architecture/TidyTest.java"));
  }

  @Test
  void noFileIsLongerThanItsReaderCanHold() {
    Map<String, Integer> tooLong = new TreeMap<>();
    for (Path file : Sources.all()) {
      int lines = Sources.lines(file).size();
      if (lines > MAX_LINES) {
        tooLong.put(Sources.name(file), lines);
      }
    }

    assertThat(tooLong).as("files of more than %d lines", MAX_LINES).isEmpty();
  }

  @Test
  void nothingIsLeftUnfinished() {
    assertThat(places(Sources.all(), UNFINISHED)).isEmpty();
  }

  @Test
  void noTestIsSwitchedOff() {
    assertThat(places(Sources.all(), SWITCHED_OFF)).isEmpty();
  }

  @Test
  void everyPackageIsNullMarked() {
    Stream<Path> packages = Sources.main().stream().map(Path::getParent).distinct();

    assertThat(packages.filter(folder -> !folder.endsWith("src/main/java")))
        .allSatisfy(folder -> {
          Path info = folder.resolve("package-info.java");
          assertThat(Files.exists(info)).as(Sources.name(info)).isTrue();
          assertThat(Sources.lines(info)).as(Sources.name(info)).contains("@NullMarked");
        });
  }

  private static List<String> places(List<Path> files, Pattern pattern) {
    return files.stream().flatMap(file -> placesIn(file, pattern)).toList();
  }

  private static Stream<String> placesIn(Path file, Pattern pattern) {
    List<String> lines = Sources.lines(file);
    return IntStream.range(0, lines.size())
        .filter(i -> pattern.matcher(lines.get(i)).find())
        .mapToObj(i -> Sources.name(file) + ":" + (i + 1) + ": " + lines.get(i).strip());
  }
}
