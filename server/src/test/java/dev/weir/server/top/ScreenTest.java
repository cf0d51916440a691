package dev.weir.server.top;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScreenTest {
  private static final long MIB = 1L << 20;

  private static Map<String, Object> budget(String name, long charged, List<Object> children) {
    return Map.of(
        "name",
        name,
        "chargedBytes",
        charged,
        "limitBytes",
        64 * MIB,
        "peakBytes",
        charged,
        "pressure",
        charged > 50 * MIB ? "high" : "none",
        "allocatedBytesPerSecond",
        7 * MIB,
        "estimate",
        Map.of("requestedBytes", charged / 4 * 3, "roundingBytes", charged / 4, "samples", 9),
        "children",
        children);
  }

  private static Figures figures() {
    byte[] cells = new byte[3 * 256];
    for (int cell = 0; cell < 64; cell++) {
      cells[3 * cell] = (byte) 255;
      cells[3 * cell + 2] = (byte) (cell < 32 ? 255 : 10);
      cells[3 * (cell + 64) + 1] = (byte) 255;
    }
    List<Object> channels = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      channels.add(budget("channel " + i, MIB, List.of()));
    }
    List<Object> classes =
        IntStream.range(1, 60)
            .mapToObj(i ->
                Map.of(
                    "slotBytes",
                    16 * i,
                    "slabs",
                    i,
                    "blocks",
                    10 * i,
                    "blockBytes",
                    50,
                    "pageBytes",
                    100 * i))
            .collect(Collectors.toList());
    Map<String, Object> pool =
        Map.of(
            "name",
            "node",
            "limitBytes",
            256 * MIB,
            "residentBytes",
            128 * MIB,
            "liveBytes",
            96 * MIB,
            "blockBytes",
            64 * MIB,
            "dirtyBytes",
            32 * MIB,
            "waste",
            Map.of("freeSlotBytes", 3 * MIB, "promisedBytes", MIB),
            "budgets",
            budget("node", 64 * MIB, List.of(budget("uploads", 60 * MIB, channels))),
            "classes",
            classes,
            "pages",
            List.of(
                Map.of(
                    "name",
                    "runs",
                    "extentBytes",
                    256 * 4096,
                    "cells",
                    Base64.getEncoder().encodeToString(cells))));
    return new Figures(
        Map.of(
            "pool",
            pool,
            "profile",
            Map.of(
                "suspects", places("com.example.Audit$Log.append(Audit.java:17)"),
                "oldest", places("com.example.Cache.load(Cache.java:5)")),
            "node",
            Map.of("openConnections", 3, "streams", 2)));
  }

  private static List<Object> places(String place) {
    return IntStream.range(0, 8)
        .<Object>mapToObj(i ->
            Map.of(
                "place",
                place,
                "budget",
                "node/audit",
                "bytes",
                31 * MIB,
                "blocks",
                2_000,
                "oldestMillis",
                61_000,
                "growthBytesPerSecond",
                MIB))
        .toList();
  }

  @ParameterizedTest
  @CsvSource({"60, 15", "80, 24", "200, 100", "20, 4", "1, 1"})
  void everythingStaysWithinTheScreen(int columns, int rows) {
    List<String> lines = Screen.lines(figures(), "http://localhost:4437", columns, rows, false);
    assertThat(lines).hasSizeLessThanOrEqualTo(rows);
    assertThat(lines).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(columns));
  }

  @Test
  void aSmallScreenHasWhatMattersMost() {
    List<String> lines = Screen.lines(figures(), "http://localhost:4437", 60, 15, false);
    assertThat(lines.get(0)).startsWith("weir node  http://localhost:4437  3 connections");
    assertThat(lines.get(1)).contains("128 MiB of 256 MiB [", "50 %");
    assertThat(lines.get(2)).contains("blocks 64.0 MiB", "idle 32.0 MiB", "dirty 32.0 MiB");
    assertThat(lines.get(3)).contains("free slots 3.0 MiB");
    assertThat(lines).anySatisfy(line -> assertThat(line).contains("promised 1.0 MiB"));
    assertThat(lines).anySatisfy(line -> assertThat(line).matches("runs +\\[#+-+:+ +] 1\\.0 MiB"));
    assertThat(lines)
        .anySatisfy(line -> assertThat(line).startsWith("  uploads").contains("60.0 MiB"));
    assertThat(lines).anySatisfy(line -> assertThat(line).contains("slot", "in use"));
  }

  @ParameterizedTest
  @CsvSource({"60, 15", "80, 24", "100, 1000"})
  void aSuspectedLeakIsNamedOnEveryScreen(int columns, int rows) {
    List<String> lines = Screen.lines(figures(), "http://localhost:4437", columns, rows, false);
    assertThat(lines).anySatisfy(line -> assertThat(line).endsWith("oldest  suspected leak"));
    assertThat(lines)
        .anySatisfy(line ->
            assertThat(line).contains("  1.0 MiB  31.0 MiB    61 s  Log.append Audit.java:17"));
  }

  @Test
  void theOldestBlocksHaveAPlaceAt80By24() {
    List<String> lines = Screen.lines(figures(), "http://localhost:4437", 80, 24, false);
    assertThat(lines)
        .anySatisfy(line ->
            assertThat(line)
                .contains("  2,000  31.0 MiB    61 s  Cache.load Cache.java:5  node/audit"));
    assertThat(lines).anySatisfy(line -> assertThat(line).contains("slot", "in use"));
  }

  @Test
  void ofManyBudgetsTheLargestAreShownAndTheOthersCounted() {
    List<String> lines = Screen.lines(figures(), "x", 100, 1000, false);
    assertThat(lines)
        .anySatisfy(line -> assertThat(line).startsWith("  uploads").endsWith("  high"));
    assertThat(lines).filteredOn(line -> line.contains("    channel ")).hasSize(5);
    assertThat(lines).anySatisfy(line -> assertThat(line).matches("    35 more +35\\.0 MiB"));
  }

  @Test
  void eachBudgetSaysWhatOfItWasNotAskedForByTheSamples() {
    assertThat(Screen.lines(figures(), "x", 80, 1000, false))
        .anySatisfy(line -> assertThat(line).matches("budget +charged .* alloc/s +~round"))
        .anySatisfy(line ->
            assertThat(line).matches("  uploads +60.0 MiB +64.0 MiB .* 7.0 MiB +~15.0 MiB  high"));
    assertThat(Screen.lines(figures(), "x", 90, 1000, false))
        .anySatisfy(line -> assertThat(line).endsWith("~round    ~asked"))
        .anySatisfy(line -> assertThat(line).matches("  uploads .* ~15.0 MiB +~45.0 MiB  high"));
  }

  @Test
  void whatNoSampleKnowsIsLeftOpen() {
    Figures unknown =
        Figures.of(
            Map.of("name", "node", "chargedBytes", 1, "children", List.of(), "pressure", "none"));
    assertThat(BudgetRow.of(unknown, 90).getFirst().text()).endsWith("0 B").doesNotContain("~");
  }

  @ParameterizedTest
  @CsvSource({
    "com.example.Audit$Log.append(Audit.java:17), Log.append Audit.java:17",
    "com.example.Handler.lambda$read$0(Handler.java:5), Handler.lambda$read$0 Handler.java:5",
    "Main.main(Main.java), Main.main Main.java",
    "com.example.New.<init>(unknown), New.<init> unknown",
    "unknown, unknown",
    "a(b(c)), a(b(c))"
  })
  void aPlaceIsShort(String frame, String text) {
    assertThat(CodeRow.shortened(frame)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0 s",
    "99, 99 s",
    "100, 1 min",
    "5999, 99 min",
    "6000, 1 h",
    "9999999, '2,777 h'"
  })
  void timesAreShort(long seconds, String text) {
    assertThat(Units.seconds(seconds)).isEqualTo(text);
  }

  @Test
  void coloursAreOnlyWhereTheyAreWanted() {
    String plain = String.join("\n", Screen.lines(figures(), "x", 80, 24, false));
    String coloured = String.join("\n", Screen.lines(figures(), "x", 80, 24, true));
    assertThat(plain).doesNotContain("\033");
    assertThat(coloured).contains("\033[34m");
    assertThat(coloured.replaceAll("\033\\[[0-9]+m", "")).isEqualTo(plain);
  }

  @Test
  void whatIsMissingOrStrangeIsShownAsNothing() {
    for (Object json :
        List.of(
            Map.of(),
            List.of(),
            Map.of("pool", "none"),
            Map.of("pool", Map.of("pages", List.of(Map.of("cells", "%%"), 7), "budgets", 3)),
            Map.of("pool", Map.of("limitBytes", -1, "residentBytes", Long.MAX_VALUE)),
            pool(10, 20, 15),
            pool(1, 1L << 62, 1L << 62))) {
      assertThat(Screen.lines(Figures.of(json), "x", 60, 15, false)).isNotEmpty();
    }
  }

  private static Object pool(long limit, long live, long blocks) {
    return Map.of(
        "pool",
        Map.of(
            "limitBytes", limit, "residentBytes", live, "liveBytes", live, "blockBytes", blocks));
  }

  @Test
  void aNameCannotCommandTheTerminal() {
    Figures evil = new Figures(Map.of("pool", Map.of("name", "a\033[2Jb\nc\u009b2Jd\u202ee")));
    assertThat(String.join("", Screen.lines(evil, "x", 80, 24, false)))
        .contains("a?[2Jb?c?2Jd?e")
        .doesNotContain("\033");
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0 B",
    "999, 999 B",
    "1000, 1.0 KiB",
    "1024, 1.0 KiB",
    "104857600, 100 MiB",
    "1048575999, 1000 MiB",
    "9223372036854775807, 8388608 TiB"
  })
  void bytesAreShort(long bytes, String text) {
    assertThat(Units.bytes(bytes)).isEqualTo(text);
  }

  @Test
  void theSizeOfATerminalIsReadOrNot() {
    assertThat(Terminal.parse(List.of("15", "60"))).isEqualTo(new Terminal(60, 15));
    assertThat(Terminal.parse(List.of("0", "60"))).isNull();
    assertThat(Terminal.parse(List.of("", ""))).isNull();
    assertThat(Terminal.parse(List.of("15"))).isNull();
  }
}
