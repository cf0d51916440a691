package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HttpLimitsTest {
  private static final HttpLimits LIMITS = HttpLimits.forBudget(256 << 20);

  @ParameterizedTest
  @CsvSource({"100, 16", "1024, 280", "1999, 767", "2000, 768", "1048576, 768"})
  void connectionsKeepWithinTheOpenFiles(long descriptors, int connections) {
    assertThat(LIMITS.within(descriptors).maxConnections()).isEqualTo(connections);
  }

  @Test
  void nothingElseFollowsFromTheOpenFiles() {
    assertThat(LIMITS.within(1 << 20)).isEqualTo(LIMITS);
  }
}
