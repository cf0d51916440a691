package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AuthorityTest {
  @ParameterizedTest
  @CsvSource({
    "localhost, localhost, 80",
    "LOCALHOST:4437, localhost, 4437",
    "weir.example.org., weir.example.org, 80",
    "weir.example.org.:1, weir.example.org, 1",
    "127.0.0.1:65535, 127.0.0.1, 65535",
    "[::1], [::1], 80",
    "[0:0:0:0:0:0:0:1]:8, [::1], 8",
    "[FD00::A]:8, [fd00::a], 8",
    "[::ffff:127.0.0.1], 127.0.0.1, 80",
    "a:, a, 80"
  })
  void everyWayToWriteAHostHasOneForm(String text, String host, int port) {
    assertThat(Authority.parse(text, 80)).isEqualTo(new Authority(host, port));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", ".", ":80", "a:65536", "a:-1", "a:x", "a:1:2", "[::1", "[::1]x", "[a]", "[::1%1]",
        "user@a", "::1", "a]"
      })
  void whatIsNoHostAndPortIsNone(String text) {
    assertThat(Authority.parse(text, 80)).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost",
        "localhost.",
        "127.0.0.1",
        "127.9.9.9",
        "[::1]",
        "[::ffff:127.0.0.1]"
      })
  void loopbackIsKnown(String text) {
    assertThat(Authority.parse(text, 80)).matches(Authority::isLoopback);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"a", "127.0.0.1.example", "127.1", "128.0.0.1", "[::2]", "localhost.a", "0.0.0.0"})
  void nothingElseIsLoopback(String text) {
    assertThat(Authority.parse(text, 80)).matches(authority -> !authority.isLoopback());
  }
}
