package dev.weir.memory.callback;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.testing.Logged;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

class FirstFailuresTest {
  private final FirstFailures failures = new FirstFailures("the test's code");

  @Test
  void eachKindIsLoggedOnce() {
    try (Logged logged = new Logged("dev.weir.memory.callback")) {
      Throwable first = new IllegalStateException("first");
      Throwable other = new OutOfMemoryError("other");
      failures.report(first);
      failures.report(new IllegalStateException("second"));
      failures.report(other);
      failures.report(other);

      assertThat(logged.records()).extracting(LogRecord::getThrown).containsExactly(first, other);
      assertThat(logged.records().getFirst().getMessage())
          .isEqualTo(
              "the test's code failed; it will be called again, further failures of this kind are"
                  + " not logged");
    }
  }
}
