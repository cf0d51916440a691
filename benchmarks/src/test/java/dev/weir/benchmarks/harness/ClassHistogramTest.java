package dev.weir.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ClassHistogramTest {
  private static final class Known {}

  private final List<Known> known = Stream.generate(Known::new).limit(10).toList();

  @Test
  void countsWhatIsOnTheHeap() throws Exception {
    ClassHistogram histogram = ClassHistogram.take();

    assertThat(histogram.instances(Known.class.getName())).isEqualTo(known.size());
    assertThat(histogram.instances("java.lang.Thread")).isPositive();
    assertThat(histogram.instances("no.such.Class")).isZero();
  }

  @Test
  void refusesWhatItCannotRead() {
    assertThatIllegalStateException()
        .isThrownBy(() -> new ClassHistogram("java.lang.String: 20000 objects\n"))
        .withMessageContaining("class histogram");
  }
}
