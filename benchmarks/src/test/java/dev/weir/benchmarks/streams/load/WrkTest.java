package dev.weir.benchmarks.streams.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** What is made of the lines that {@code wrk} prints. */
class WrkTest {
  @Test
  void theScriptsLineHasTheFigures() throws IOException {
    Load load =
        Wrk.parse("Running 4s test\n  1 threads\nRequests/sec: 3\nweir 40010 4000000 12345 10\n");
    assertThat(load).isEqualTo(new Load(40_000, 10, 4, 12.345));
    assertThat(load.perSecond()).isEqualTo(10_000);
  }

  @Test
  void anythingElseIsQuoted() {
    assertThatThrownBy(() -> Wrk.parse("unable to connect\n"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("unable to connect");
  }
}
