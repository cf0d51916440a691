package dev.weir.benchmarks.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ChartsAreCurrentTest {
  private static final Pattern SOURCE = Pattern.compile("<desc id=\"desc\">(.+)</desc>");
  private static final Pattern FILE = Pattern.compile("bench-(.+)\\.svg");

  @Test
  void everyChartIsTheOneThatItsRecordGives() throws IOException {
    Path docs = Path.of("..", "docs");
    for (Path chart : charts(docs.resolve("img"))) {
      String svg = Files.readString(chart);
      Matcher suite = FILE.matcher(chart.getFileName().toString());
      Matcher source = SOURCE.matcher(svg);
      assertThat(suite.matches() && source.find()).as("%s names its record", chart).isTrue();
      BenchRecord record = BenchRecord.read(docs.resolve("benchmarks").resolve(source.group(1)));
      assertThat(Chart.svg(record, suite.group(1)))
          .as("%s; draw it again with: weir bench chart docs/benchmarks/%s", chart, source.group(1))
          .contains(svg);
    }
  }

  private static List<Path> charts(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> FILE.matcher(file.getFileName().toString()).matches()).toList();
    }
  }
}
