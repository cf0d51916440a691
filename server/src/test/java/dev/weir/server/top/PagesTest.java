package dev.weir.server.top;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PagesTest {
  private final Pages pages = new Pages();

  private static Figures figures(int frames) {
    List<String> stack =
        IntStream.range(0, frames)
            .mapToObj(i -> "com.example.A.m" + i + "(A.java:" + i + ")")
            .toList();
    Map<String, Object> place =
        Map.of(
            "place",
            "com.example.A.m0(A.java:0)",
            "stack",
            stack,
            "budget",
            "node/a\033[2J",
            "oldestMillis",
            40_000);
    return new Figures(
        Map.of(
            "pool",
            Map.of("name", "node"),
            "profile",
            Map.of(
                "bytesPerSample",
                4096,
                "leakAgeMillis",
                30_000,
                "suspects",
                List.of(place),
                "oldest",
                List.of(place))));
  }

  private List<String> lines(Figures figures, int columns, int rows) {
    return pages.lines(figures, "localhost", columns, rows, false);
  }

  @Test
  void cShowsStacksAndMLeadsBack() {
    assertThat(lines(figures(3), 80, 24).getLast()).startsWith("q quit  c code");
    assertThat(String.join("\n", lines(figures(3), 80, 24))).doesNotContain("com.example");
    pages.press('c');
    assertThat(lines(figures(3), 80, 24))
        .anySatisfy(line -> assertThat(line).endsWith("suspected leak, older than 30 s"))
        .anySatisfy(line -> assertThat(line).isEqualTo("      com.example.A.m2(A.java:2)"))
        .noneSatisfy(line -> assertThat(line).contains("\033"));
    pages.press('m');
    assertThat(String.join("\n", lines(figures(3), 80, 24))).doesNotContain("com.example");
    pages.press('\t');
    assertThat(String.join("\n", lines(figures(3), 80, 24))).contains("com.example");
  }

  @Test
  void jAndKScrollWithinThePage() {
    pages.press('c');
    List<String> top = lines(figures(30), 80, 10);
    pages.press('k');
    assertThat(lines(figures(30), 80, 10)).isEqualTo(top);
    pages.press('j');
    assertThat(lines(figures(30), 80, 10).getFirst()).isEqualTo(top.get(1));
    for (int i = 0; i < 500; i++) {
      pages.press('j');
    }
    List<String> end = lines(figures(30), 80, 10);
    assertThat(end.get(8)).contains("A.m29(");
    pages.press('k');
    assertThat(lines(figures(30), 80, 10).get(8)).contains("A.m28(");
  }

  @ParameterizedTest
  @CsvSource({"60, 15", "80, 24", "20, 4", "1, 1", "80, 2"})
  void bothPagesStayWithinTheScreen(int columns, int rows) {
    for (char page : new char[] {'m', 'c'}) {
      pages.press(page);
      assertThat(lines(figures(30), columns, rows))
          .hasSizeLessThanOrEqualTo(rows)
          .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(columns));
    }
  }

  @Test
  void pStopsTheFiguresAndQEndsIt() {
    pages.press('p');
    assertThat(pages.isPaused()).isTrue();
    assertThat(lines(figures(1), 80, 24).getLast()).startsWith("paused  q quit");
    pages.press(' ');
    assertThat(pages.isPaused()).isFalse();
    pages.press('x');
    assertThat(pages.isOver()).isFalse();
    pages.press('q');
    assertThat(pages.isOver()).isTrue();
  }

  @Test
  void framesThatAreTooLongLoseTheirPackage() {
    pages.press('c');
    assertThat(lines(figures(3), 30, 24))
        .anySatisfy(line -> assertThat(line).isEqualTo("      A.m2 A.java:2"));
  }

  @Test
  void aNodeWithoutAProfileSaysSo() {
    pages.press('c');
    assertThat(lines(new Figures(Map.of()), 80, 24).get(1)).contains("--profile 512K");
  }

  @Test
  void keysComeInTheirOrderUntilTheInputEnds() throws Exception {
    try (Keys keys = Keys.of(new ByteArrayInputStream("cq".getBytes(StandardCharsets.US_ASCII)))) {
      assertThat(keys.await(Duration.ofSeconds(60))).isEqualTo('c');
      assertThat(keys.await(Duration.ofSeconds(60))).isEqualTo('q');
      assertThat(keys.await(Duration.ZERO)).isNull();
    }
  }
}
