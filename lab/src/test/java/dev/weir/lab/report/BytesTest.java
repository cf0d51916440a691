package dev.weir.lab.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BytesTest {

  @ParameterizedTest
  @CsvSource({"1,1", "20000000,20000000", "512K,524288", "256M,268435456", "1g,1073741824"})
  void parsesAmounts(String text, long bytes) {
    assertThat(Bytes.parse(text)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "M", "-1", "0", "1T", "1.5M", "9223372036854775807K", "x"})
  void refusesAnythingElse(String text) {
    assertThatThrownBy(() -> Bytes.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + text + "'");
  }

  @Test
  void printsMebibytes() {
    assertThat(Bytes.mib(268_435_456)).isEqualTo("256.0");
    assertThat(Bytes.mib(0)).isEqualTo("0.0");
  }
}
