package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ResponseDateTest {
  /** The date that RFC 9110 gives as its example. */
  private static final long EXAMPLE_MILLIS = 784_111_777_000L;

  @Test
  void aDateIsMadeOnceASecond() {
    CharSequence made = ResponseDate.at(EXAMPLE_MILLIS);
    assertThat(made).hasToString("Sun, 06 Nov 1994 08:49:37 GMT");
    assertThat(ResponseDate.at(EXAMPLE_MILLIS + 999)).isSameAs(made);
    assertThat(ResponseDate.at(EXAMPLE_MILLIS + 1000)).hasToString("Sun, 06 Nov 1994 08:49:38 GMT");
    assertThat(ResponseDate.at(EXAMPLE_MILLIS)).as("the clock is set back").hasToString(made + "");
  }
}
