package dev.weir.replication.serve;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ByteRangeTest {
  @ParameterizedTest
  @CsvSource({
    "bytes=0-99, 1000, 0, 99",
    "bytes=990-2000, 1000, 990, 999",
    "bytes=990-, 1000, 990, 999",
    "bytes=-10, 1000, 990, 999",
    "bytes=-2000, 1000, 0, 999",
    "bytes=5368709120-5368709121, 6000000000, 5368709120, 5368709121"
  })
  void aRangeWithinTheBytesIsCutToThem(String text, long size, long first, long last) {
    assertThat(ByteRange.parse(text, size)).isEqualTo(new ByteRange(first, last));
  }

  @ParameterizedTest
  @CsvSource({
    "bytes=1000-1001, 1000",
    "bytes=5-4, 1000",
    "bytes=-0, 1000",
    "bytes=-, 1000",
    "'bytes=0-1,3-4', 1000",
    "bytes=9999999999999999999-, 1000",
    "lines=0-1, 1000",
    "bytes=0-0, 0",
    "'', 10"
  })
  void anythingElseIsNone(String text, long size) {
    assertThat(ByteRange.parse(text, size)).isNull();
  }
}
