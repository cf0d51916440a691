package dev.weir.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

class ProcessorsTest {

  @Test
  void areThoseOfTheProcess() {
    assertThat(Processors.coresFirst())
        .doesNotHaveDuplicates()
        .hasSize(Runtime.getRuntime().availableProcessors());
  }

  @Test
  void aThreadStaysOnOneAndTheOthersAreFree() throws Exception {
    List<Integer> all = Processors.coresFirst();
    int last = all.getLast();
    FutureTask<List<Integer>> task =
        new FutureTask<>(() -> {
          assertThat(Processors.stayOn(last)).isTrue();
          return Processors.coresFirst();
        });
    Thread.ofPlatform().start(task);
    assertThat(task.get()).containsExactly(last);
    assertThat(Processors.coresFirst()).isEqualTo(all);
  }

  @Test
  void oneThatIsNotThereIsRefused() throws Exception {
    FutureTask<Boolean> task = new FutureTask<>(() -> Processors.stayOn(1023));
    Thread.ofPlatform().start(task);
    assertThat(task.get()).isFalse();
  }
}
