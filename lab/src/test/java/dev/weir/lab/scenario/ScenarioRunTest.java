package dev.weir.lab.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.report.ProgressLine;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ScenarioRunTest {
  private final List<String> kept = new ArrayList<>();

  @Test
  void rowsAreKeptOneByOneAndAFailureIsOneOfThem() throws IOException {
    ScenarioRun run =
        run(
            new LabRow("s", "first", steps -> Map.of("refused", 1)),
            new LabRow(
                "s",
                "second",
                steps -> {
                  throw new IOException("it is gone");
                }),
            new LabRow("s", "third", steps -> Map.of("refused", 0)));

    assertThat(run.run()).isEqualTo(ScenarioRun.INCOMPLETE);
    assertThat(kept).containsExactly("1 false", "2 false", "3 true");
    assertThat(run.rows()).extracting("allocator").containsExactly("first", "second", "third");
    assertThat(run.rows().get(1)).containsEntry("problem", "it is gone");
    assertThat(run.rows().get(2)).doesNotContainKey("problem");
    assertThat(Rows.problems(run.rows(), "s")).isEqualTo("second is left out: it is gone\n");
    assertThat(Rows.isMeasured(run.rows().getFirst(), "s")).isTrue();
    assertThat(Rows.isMeasured(run.rows().getFirst(), "other")).isFalse();
  }

  @Test
  void aRunOfWholeRowsIsASuccess() throws IOException {
    assertThat(run(new LabRow("s", "first", steps -> Map.of())).run()).isZero();
    assertThat(kept).containsExactly("1 true");
  }

  private ScenarioRun run(LabRow... rows) {
    return new ScenarioRun(
        List.of(rows),
        (soFar, complete) -> kept.add(soFar.size() + " " + complete),
        ProgressLine.onTerminal());
  }
}
