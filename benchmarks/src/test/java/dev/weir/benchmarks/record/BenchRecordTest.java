package dev.weir.benchmarks.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.benchmarks.peer.Peer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;

class BenchRecordTest {
  private static final Noise NOISE = new Noise(1.5, 1.75, 0.25, 0);

  @TempDir Path folder;

  @Test
  void readsWhatItWrites() throws IOException {
    Path file = folder.resolve("2026-01-02-abcdef0.json");
    BenchRecord written = BenchRecord.of(file, "abcdef0", "2026-01-02");
    written.append("weir bench alloc", NOISE, List.of(row("weir", 10)));
    assertThat(BenchRecord.read(file).rows()).containsExactly(row("weir", 10));
    assertThat(Files.readString(file))
        .startsWith("{\"commit\":\"abcdef0\",\"date\":\"2026-01-02\",\"runs\":[\n")
        .contains(
            "\"calibrationNsBefore\":1.5,", "\"othersPercent\":0.25,", "\"cpu\":", "\"jdk\":");
  }

  @Test
  void aLaterRunReplacesTheSameRowsOnly() throws IOException {
    Path file = folder.resolve("record.json");
    BenchRecord.of(file, "a", "b").append("1", NOISE, List.of(row("weir", 10), row("glibc", 9)));
    BenchRecord.of(file, "a", "b").append("2", NOISE, List.of(row("weir", 8)));
    assertThat(BenchRecord.read(file).rows()).containsExactly(row("weir", 8), row("glibc", 9));
  }

  @Test
  void aRowOfAnotherStateOfTheCompilerReplacesNoneAndIsNotDrawn() throws IOException {
    Path file = folder.resolve("record.json");
    Map<String, Object> service = of("service", row("weir", 10));
    BenchRecord record = BenchRecord.of(file, "a", "b");
    record.append("1", NOISE, List.of(service, of("service", row("netty-pooled", 41))));
    String drawn = Chart.svg(record, "alloc").orElseThrow();
    record.append("2", NOISE, List.of(of("alone", row("weir", 5))));
    assertThat(record.rows()).contains(service, of("alone", row("weir", 5)));
    assertThat(Chart.svg(record, "alloc")).contains(drawn);
  }

  @Test
  void aRowThatWasMeasuredForAShorterTimeReplacesNone() throws IOException {
    Path file = folder.resolve("record.json");
    Map<String, Object> full = row("weir", 10);
    full.putAll(Map.of("iterations", 4, "iterationMillis", 500));
    Map<String, Object> quick = row("weir", 12);
    quick.putAll(Map.of("iterations", 2, "iterationMillis", 250));
    BenchRecord record = BenchRecord.of(file, "a", "b");
    record.append("weir bench alloc", NOISE, List.of(full));
    record.append("weir bench alloc --quick", NOISE, List.of(quick));
    assertThat(record.rows()).containsExactly(full);
  }

  @Test
  void aRecordOfAnotherMachineIsNotContinued() throws IOException {
    Path file = folder.resolve("record.json");
    BenchRecord.of(file, "a", "b").append("1", NOISE, List.of(row("weir", 10)));
    BenchRecord.read(file).requireThisMachine();
    String text = Files.readString(file);
    Files.writeString(file, text.replaceFirst("\"cores\":\\d+", "\"cores\":4711"));
    assertThatThrownBy(() -> BenchRecord.read(file).requireThisMachine())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("4711 cores");
  }

  private static Map<String, Object> of(String jit, Map<String, Object> row) {
    Map<String, Object> with = new LinkedHashMap<>();
    row.forEach((field, value) -> {
      if (field.equals("allocator")) {
        with.put("jit", jit);
      }
      with.put(field, value);
    });
    return with;
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{", "[]", "{\"commit\":\"a\",\"date\":\"b\",\"runs\":[1]}"})
  void anythingElseIsRefusedByName(String text) throws IOException {
    Path file = folder.resolve("record.json");
    Files.writeString(file, text);
    assertThatThrownBy(() -> BenchRecord.read(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("record.json");
  }

  @Test
  void whateverIsInAFileItIsDrawnOrRefused() throws IOException {
    long seed = Long.getLong("weir.test.seed", System.nanoTime());
    Random random = new Random(seed);
    Path file = folder.resolve("record.json");
    BenchRecord.of(file, "a", "b").append("1", NOISE, List.of(row("weir", 10), row("glibc", 9)));
    byte[] whole = Files.readAllBytes(file);
    String pieces = "{}[],:\"0e-9nt";
    for (int run = 0; run < 2_000; run++) {
      byte[] damaged = whole.clone();
      for (int i = random.nextInt(4); i >= 0; i--) {
        damaged[random.nextInt(damaged.length)] =
            (byte) pieces.charAt(random.nextInt(pieces.length()));
      }
      Files.write(file, damaged);
      try {
        BenchRecord record = BenchRecord.read(file);
        Chart.suites(record).forEach(suite -> Chart.svg(record, suite));
      } catch (IOException refused) {
        assertThat(refused).hasMessageContaining("record.json");
      } catch (RuntimeException failed) {
        throw new AssertionError("seed " + seed, failed);
      }
    }
  }

  @Test
  void theChartHasALineForEachCellAndTheRatio() throws Exception {
    Path file = folder.resolve("record.json");
    BenchRecord record = BenchRecord.of(file, "a", "b");
    record.append("weir bench alloc", NOISE, List.of(row("weir", 10), row("netty-pooled", 41)));
    String svg = Chart.svg(record, "alloc").orElseThrow();
    assertThat(svg)
        .contains("<desc id=\"desc\">record.json</desc>", "prefers-color-scheme: dark")
        .contains(">ring · 1..4K · 1024 live<", ">4.1 ×<", ">10 ns<", ">100 ns<")
        .contains(">event-loop, leak detection disabled<");
    Document document =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
    assertThat(document.getDocumentElement().getTagName()).isEqualTo("svg");
    assertThat(Chart.svg(record, "grow")).isEmpty();
  }

  @Test
  void whatIsWrittenIsDrawnAsTimeAgainstResidentMemory() throws Exception {
    Path file = folder.resolve("record.json");
    BenchRecord record = BenchRecord.of(file, "a", "b");
    record.append(
        "weir bench written",
        NOISE,
        List.of(
            written("weir", 200, 300), written("weir+dense", 100, 400),
            written("mimalloc", 150, 350), written("netty-pooled", 250, 250)));
    String svg = Chart.svg(record, "written").orElseThrow();
    assertThat(svg)
        .contains("<desc id=\"desc\">record.json</desc>", ">small · 256..16K · 256 live<")
        .contains("below and left is best", " MiB<", " ns<");
    assertThat(svg.lines().filter(line -> line.matches("<path class=\"weir open\" d=\"M.*L.*")))
        .as("a line through Weir's settings, and the spread of each one's time")
        .hasSize(3);
    DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
  }

  private static Map<String, Object> written(String allocator, double nsPerOp, double mib) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("suite", "written");
    row.put("workload", "small");
    row.put("sizes", "256..16K");
    row.put("live", "256");
    row.put("thread", "event-loop");
    row.put("threads", 1);
    row.put("leakDetection", "disabled");
    row.put("allocator", allocator);
    double bytes = mib * (1 << 20);
    for (String ending : List.of("", "Min", "Max")) {
      row.put("nsPerOp" + ending, nsPerOp);
      row.put("peakRssBytes" + ending, bytes);
    }
    return row;
  }

  @Test
  void everyPeerHasAMark() {
    assertThat(Arrays.stream(Mark.values()).map(Mark::allocator))
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(Peer.values()).map(Peer::label).toList());
  }

  @Test
  void onlyALoudMachineIsWorthALine() {
    assertThat(NOISE.warning()).isEmpty();
    assertThat(new Noise(1, 1, 30.4, 2).warning().orElseThrow()).contains("30 %", "2 %");
    assertThat(new Noise.Watch().end().calibrationNsAfter()).isGreaterThan(0.1);
  }

  private static Map<String, Object> row(String allocator, double nsPerOp) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("suite", "alloc");
    row.put("pattern", "ring");
    row.put("sizes", "1..4K");
    row.put("live", "1024");
    row.put("touch", "no");
    row.put("thread", "event-loop");
    row.put("threads", 1);
    row.put("leakDetection", "disabled");
    row.put("allocator", allocator);
    row.put("nsPerOp", nsPerOp);
    row.put("nsPerOpMin", nsPerOp - 1);
    row.put("nsPerOpMax", nsPerOp + 1);
    row.put("rounds", 3);
    return row;
  }
}
