package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.compression.ContentCoding;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AcceptEncodingTest {
  private static final List<ContentCoding> ALL =
      List.of(ContentCoding.ZSTD, ContentCoding.BROTLI, ContentCoding.GZIP);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "none",
      value = {
        "gzip, deflate, br, zstd | ZSTD | true",
        "gzip, deflate, br | BROTLI | true",
        "gzip | GZIP | true",
        "GZip | GZIP | true",
        "x-gzip | GZIP | true",
        "'' | none | true",
        "identity | none | true",
        "* | ZSTD | true",
        "*;q=0 | none | false",
        "identity;q=0 | none | false",
        "identity;q=0, *;q=0 | none | false",
        "identity;q=0, gzip | GZIP | false",
        "*;q=0, gzip;q=0.001 | GZIP | false",
        "*;q=0, identity;q=0.1 | none | true",
        "*;q=0.5, zstd;q=0 | BROTLI | true",
        "gzip;q=1.0, zstd;q=0.9 | GZIP | true",
        "gzip;q=0.5, zstd;q=0.5 | ZSTD | true",
        "gzip;q=0.5, identity;q=0.6 | none | true",
        "gzip;q=0.6, identity;q=0.5 | GZIP | true",
        "gzip;q=0 | none | true",
        "gzip;q=0.000 | none | true",
        "gzip;q=0, gzip | GZIP | true",
        "gzip ; q=0.5 | GZIP | true",
        "gzip;Q=0.5 | GZIP | true",
        "gzip;q=1.001 | none | true",
        "gzip;q=2 | none | true",
        "gzip;q=0.1234 | none | true",
        "gzip;q=-1 | none | true",
        "gzip;q= | none | true",
        "gzip;level=9 | none | true",
        ",,gzip,, | GZIP | true",
        ";q=1, deflate | none | true",
      })
  void chooses(String value, ContentCoding coding, boolean identity) {
    AcceptEncoding accepted = AcceptEncoding.parse(List.of(value));
    assertThat(accepted.choose(ALL)).isEqualTo(coding);
    assertThat(accepted.acceptsIdentity()).isEqualTo(identity);
  }

  @Test
  void severalFieldsAreOneList() {
    AcceptEncoding accepted = AcceptEncoding.parse(List.of("gzip;q=0.2", "br;q=0.3"));
    assertThat(accepted.choose(ALL)).isEqualTo(ContentCoding.BROTLI);
    assertThat(accepted.weightOf(ContentCoding.GZIP)).isEqualTo(200);
  }

  @Test
  void nothingSentIsNothingChosen() {
    assertThat(AcceptEncoding.parse(List.of()).choose(ALL)).isNull();
    assertThat(AcceptEncoding.NOT_SENT.acceptsIdentity()).isTrue();
  }
}
