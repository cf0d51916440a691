package dev.weir.memory;

import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.testing.Await;
import dev.weir.memory.testing.Logged;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What fails while the purger looks after pools. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class LoggedFailuresTest {
  @Test
  void aFailureOfOnePoolDoesNotSilenceThatOfAnother() {
    try (Logged logged = new Logged("dev.weir.memory.callback")) {
      failToPurge("first", logged);
      failToPurge("second", logged);
    }
  }

  private static void failToPurge(String name, Logged logged) {
    FakeNativeMemory os = new FakeNativeMemory();
    Pool pool =
        Pool.create(
            PoolOptions.withLimit(32 << 20)
                .withName(name)
                .withDecay(Duration.ofMillis(10))
                .withNativeMemory(os));
    pool.allocate(1 << 20).release();
    os.failFrom(1);
    pool.allocate(1 << 20).release();
    String what = "looking after pool '%s' failed".formatted(name);
    Await.until(
        () -> logged.records().stream().anyMatch(line -> line.getMessage().startsWith(what)),
        () -> "not logged: " + name);
    os.heal();
    pool.close();
  }
}
