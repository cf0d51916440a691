package dev.weir.lab.replicate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.grpc.Layout;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class CopyLoadTest {
  private static final CopyLoad OPEN =
      new CopyLoad(
          /* containers= */ 10_000,
          /* threads= */ 2,
          /* arrivalsPerSecond= */ 50,
          /* seed= */ 7,
          /* rateBytes= */ 1,
          /* directBytes= */ 2,
          /* budgetBytes= */ 3,
          /* cutMillis= */ 4);

  @Test
  void aTaskIsWhatItsWordsSay() {
    CopyTask task =
        new CopyTask(Peer.GRPC_WEIR, Path.of("/a"), new Layout(3, 5), 2, 99, "cert", "key", OPEN);

    assertThat(CopyTask.of(task.words())).isEqualTo(task);
  }

  @Test
  void arrivalsAreThoseOfTheirSeedAtTheirRate() {
    long[] arrivals = OPEN.arrivalNanos();

    assertThat(arrivals).isSorted().isEqualTo(OPEN.arrivalNanos());
    assertThat(arrivals[arrivals.length - 1] / 1e9).isBetween(190.0, 210.0);
  }
}
