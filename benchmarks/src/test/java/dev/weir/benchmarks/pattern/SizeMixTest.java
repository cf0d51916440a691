package dev.weir.benchmarks.pattern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SizeMixTest {
  private static final int DRAWS = 100_000;

  @TempDir Path folder;

  @Test
  void aNumberIsAlwaysThatSize() {
    assertThat(draw(SizeMix.of("4K", 1)).distinct()).containsExactly(4096);
  }

  @Test
  void aRangeIsUniformAndItsEndsBelongToIt() {
    SizeMix mix = SizeMix.of("1..8", 7);
    int[] counts = new int[9];
    draw(mix).forEach(size -> counts[size]++);
    assertThat(mix.meanBytes()).isEqualTo(4.5);
    assertThat(IntStream.rangeClosed(1, 8).map(size -> counts[size]))
        .allSatisfy(count -> assertThat(count).isCloseTo(DRAWS / 8, within(DRAWS / 80)));
  }

  @Test
  void aFileIsDrawnFromAsOftenAsItCounts() throws IOException {
    Path file = folder.resolve("mine.sizes");
    Files.writeString(file, "# made by hand\n100 3\n4000 1\n");
    SizeMix mix = SizeMix.of(file.toString(), 1);
    assertThat(mix.meanBytes()).isEqualTo(1075.0);
    assertThat(draw(mix).filter(size -> size == 100).count())
        .isCloseTo(DRAWS * 3 / 4, within(DRAWS / 100L));
    assertThat(draw(mix).distinct().sorted()).containsExactly(100, 4000);
  }

  @ParameterizedTest
  @ValueSource(strings = {"api-gateway", "websocket-proxy"})
  void recordedHistogramsAreThereByName(String name) {
    SizeMix mix = SizeMix.of(name, 1);
    assertThat(draw(mix).average().orElseThrow())
        .isCloseTo(mix.meanBytes(), within(mix.meanBytes() / 20));
    assertThat(draw(mix).distinct().count()).isGreaterThan(40);
  }

  @Test
  void threadsWithDifferentSeedsDrawDifferently() {
    assertThat(draw(SizeMix.of("1..64K", 1)).limit(100).toArray())
        .isEqualTo(draw(SizeMix.of("1..64K", 1)).limit(100).toArray())
        .isNotEqualTo(draw(SizeMix.of("1..64K", 2)).limit(100).toArray());
  }

  @Test
  void aMalformedLineIsQuoted() {
    assertThatThrownBy(() -> SizeHistogram.parse("100 3\n4000\n"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'4000'");
    assertThatThrownBy(() -> SizeHistogram.parse("# nothing\n"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> SizeHistogram.parse("0 3\n")).hasMessageContaining("'0 3'");
  }

  @Test
  void countsThatOverflowAndSizesThatNoMixMayHaveAreNotTakenForOthers() {
    String most = "100 " + Long.MAX_VALUE;
    assertThatThrownBy(() -> SizeHistogram.parse(most + "\n100 1\n"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> SizeHistogram.parse(most + "\n200 1\n"))
        .isInstanceOf(IllegalArgumentException.class);
    SizeHistogram histogram = SizeHistogram.parse("7 2\n70000000 3\n");
    assertThat(histogram.lines()).containsExactly("7 2");
    assertThat(histogram.leftOut()).isEqualTo(3);
  }

  @Test
  void whateverAFileHoldsItIsAHistogramOrRefused() {
    long seed = Long.getLong("weir.test.seed", System.nanoTime());
    Random random = new Random(seed);
    String characters = "0123456789999  \n\n-#x\u0661";
    for (int run = 0; run < 5_000; run++) {
      StringBuilder text = new StringBuilder();
      for (int i = random.nextInt(60); i > 0; i--) {
        text.append(characters.charAt(random.nextInt(characters.length())));
      }
      try {
        SizeHistogram histogram = SizeHistogram.parse(text.toString());
        assertThat(histogram.quantile(random.nextDouble())).isBetween(1, SizeMix.MAX_BYTES);
        assertThat(histogram.meanBytes()).isBetween(1.0, (double) SizeMix.MAX_BYTES);
      } catch (IllegalArgumentException refused) {
        assertThat(refused.getMessage()).as("seed %d", seed).isNotBlank();
      }
    }
  }

  @Test
  void aFileIsReadOnce() throws IOException {
    Path file = Files.writeString(folder.resolve("gone.sizes"), "100 3\n");
    double meanBytes = SizeMix.of(file.toString(), 1).meanBytes();
    Files.delete(file);
    assertThat(SizeMix.of(file.toString(), 2).meanBytes()).isEqualTo(meanBytes);
  }

  @Test
  void aHistogramReadsWhatItWrites() {
    SizeHistogram histogram = SizeHistogram.parse("7 2\n9 1\n");
    SizeHistogram again = SizeHistogram.parse(String.join("\n", histogram.lines()));
    assertThat(again.lines()).containsExactly("7 2", "9 1");
    assertThat(again.quantile(0.5)).isEqualTo(7);
    assertThat(again.quantile(1)).isEqualTo(9);
    assertThat(again.total()).isEqualTo(3);
  }

  private static IntStream draw(SizeMix mix) {
    return IntStream.range(0, DRAWS).map(i -> mix.next());
  }
}
