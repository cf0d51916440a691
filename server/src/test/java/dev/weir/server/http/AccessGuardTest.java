package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.streams.protocol.ProtocolException;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the options allow; the defaults are in the table of cases. */
class AccessGuardTest {
  private static final AccessPolicy NAMED =
      new AccessPolicy(
          Set.of("Weir.Example.Org", "[FD00:0::1]"), Set.of("https://App.example.org:443"), 0);

  private static int status(AccessGuard guard, HttpRequest request) {
    ProtocolException refusal = guard.refuse(request, /* target= */ null);
    return refusal == null ? 200 : refusal.status();
  }

  private static HttpRequest request(HttpMethod method, String host) {
    HttpRequest request = new DefaultHttpRequest(HttpVersion.HTTP_1_1, method, "/");
    request.headers().set("Host", host);
    return request;
  }

  @ParameterizedTest
  @ValueSource(strings = {"weir.example.org:443", "[fd00::1]", "localhost"})
  void aNameThatIsAllowedIsServedBesideLoopbacks(String host) {
    assertThat(status(new AccessGuard(NAMED, true), request(HttpMethod.GET, host))).isEqualTo(200);
  }

  @Test
  void otherNamesAreNot() {
    AccessGuard guard = new AccessGuard(NAMED, /* onLoopback= */ true);
    assertThat(status(guard, request(HttpMethod.GET, "a.weir.example.org"))).isEqualTo(421);
  }

  @Test
  void offLoopbackAnyNameIsServedUnlessSomeAreNamed() {
    HttpRequest any = request(HttpMethod.GET, "any.example.org");
    assertThat(status(new AccessGuard(AccessPolicy.DEFAULT, false), any)).isEqualTo(200);
    assertThat(status(new AccessGuard(NAMED, false), any)).isEqualTo(421);
    assertThat(status(new AccessGuard(NAMED, false), request(HttpMethod.GET, "localhost")))
        .isEqualTo(421);
    assertThat(status(new AccessGuard(NAMED, false), request(HttpMethod.GET, "weir.example.org.")))
        .isEqualTo(200);
  }

  @Test
  void aRequestOfHttp10NamesNoHost() {
    HttpRequest request = new DefaultHttpRequest(HttpVersion.HTTP_1_0, HttpMethod.POST, "/");
    assertThat(status(new AccessGuard(NAMED, true), request)).isEqualTo(200);
  }

  @Test
  void pagesOfAnOriginThatIsAllowedMayChangeStreams() {
    AccessGuard guard = new AccessGuard(NAMED, /* onLoopback= */ true);
    HttpRequest request = request(HttpMethod.POST, "localhost");
    request.headers().set("Origin", "https://app.example.org").set("Sec-Fetch-Site", "cross-site");
    assertThat(status(guard, request)).isEqualTo(200);
    request.headers().set("Origin", "http://app.example.org");
    assertThat(status(guard, request)).isEqualTo(403);
  }

  /** A proxy that takes TLS off leaves the host as it is. */
  @Test
  void aPageBehindAProxyIsOfTheNodesOriginWhateverItsScheme() {
    AccessGuard guard = new AccessGuard(NAMED, /* onLoopback= */ true);
    HttpRequest request = request(HttpMethod.POST, "weir.example.org");
    request.headers().set("Origin", "https://weir.example.org");
    assertThat(status(guard, request)).isEqualTo(200);
  }

  @Test
  void aRefusalSaysNothingThatMayBreakALine() {
    AccessGuard guard = new AccessGuard(NAMED, /* onLoopback= */ true);
    HttpRequest request = request(HttpMethod.POST, "localhost");
    request.headers().set("Origin", "no origin \u0085 of any kind");
    ProtocolException refusal = guard.refuse(request, /* target= */ null);
    assertThat(refusal).isNotNull();
    assertThat(refusal.reason()).contains("pages of another origin").contains("--allow-origin");
  }
}
