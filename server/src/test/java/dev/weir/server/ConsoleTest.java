package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.console.ConsoleAccess;
import dev.weir.server.http.AccessPolicy;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.jr.ob.JSON;

/** The console as a client meets it: its files, its figures, and who may see them. */
class ConsoleTest {
  private static final Pattern REFERENCE =
      Pattern.compile("(?:src|href|from)\\s*=?\\s*[\"']([^\"'#]+)");

  @TempDir Path directory;
  private NodeFixture fixture;

  /** Names under which a proxy reaches the node: the console is not for its clients. */
  private static final AccessPolicy NAMED =
      new AccessPolicy(
          Set.of("weir.example.org", "localhost.example.org", "127.0.0.1.example.org", "[::2]"),
          Set.of(),
          /* connectionsPerAddress= */ 0);

  private void start(ConsoleAccess access) throws IOException {
    NodeParts parts =
        NodeParts.forBudget(NodeFixture.BUDGET_BYTES)
            .with(new Node.ConsoleSettings(access, Duration.ofMillis(20)))
            .serving(NAMED);
    fixture = new NodeFixture(directory, NodeFixture.BUDGET_BYTES, parts);
  }

  @AfterEach
  void stop() throws IOException {
    fixture.assertNothingLeaked();
    fixture.close();
  }

  private RawClient.Response ask(String method, String target, String... headers)
      throws IOException {
    try (RawClient client = fixture.raw()) {
      String lines = headers.length == 0 ? "Host: localhost:4437\r\n" : String.join("", headers);
      client.send("%s %s HTTP/1.1\r\n%s\r\n".formatted(method, target, lines));
      return client.receive();
    }
  }

  @Test
  void thePageAndAllItRefersToComeFromTheNode() throws Exception {
    start(ConsoleAccess.LOOPBACK);
    RawClient.Response page = ask("GET", "/_weir/");

    assertThat(page.status()).isEqualTo(200);
    assertThat(page.header("content-type")).startsWith("text/html");
    assertThat(page.body()).doesNotContain("<style", "style=", "onclick", "<script>");
    List<String> files =
        REFERENCE.matcher(page.body()).results().map(match -> match.group(1)).toList();
    assertThat(files).contains("main.js", "d3.js", "console.css", "icon.svg", "snapshot");
    for (String name : files) {
      RawClient.Response file = ask("GET", "/_weir/" + name);
      assertThat(file.status()).as(name).isEqualTo(200);
      assertThat(file.header("x-content-type-options")).isEqualTo("nosniff");
      assertThat(file.header("content-security-policy")).contains("default-src 'none'");
      assertThat(file.header("cross-origin-resource-policy")).isEqualTo("same-origin");
      // The library says where it comes from, and has names of XML in it.
      assertThat(file.body().replaceFirst("^// https://d3js.org ", ""))
          .doesNotContain("https://", "import('http", "sourceMappingURL");
    }
  }

  @Test
  void theLibraryOfThePlotsComesWithItsLicence() throws Exception {
    start(ConsoleAccess.LOOPBACK);
    RawClient.Response script = ask("GET", "/_weir/d3.js");
    assertThat(script.header("content-type")).startsWith("text/javascript");
    assertThat(script.body()).startsWith("// https://d3js.org v7.");
    RawClient.Response licence = ask("GET", "/_weir/d3-license.txt");
    assertThat(licence.header("content-type")).startsWith("text/plain");
    assertThat(licence.body()).contains("Mike Bostock", "Permission to use");
    assertThat(ask("GET", "/_weir/").body()).contains("d3-license.txt");
  }

  @Test
  void everyModuleThatAScriptImportsIsServed() throws Exception {
    start(ConsoleAccess.LOOPBACK);
    Pattern imports = Pattern.compile("from '\\./([a-z]+\\.js)'");
    for (String script :
        List.of(
            "main.js",
            "pagemap.js",
            "history.js",
            "budgets.js",
            "facts.js",
            "icicle.js",
            "tables.js",
            "flame.js",
            "places.js")) {
      RawClient.Response file = ask("GET", "/_weir/" + script);
      assertThat(file.header("content-type")).startsWith("text/javascript");
      List<String> names =
          imports.matcher(file.body()).results().map(match -> match.group(1)).toList();
      assertThat(names).as(script).isNotEmpty();
      for (String name : names) {
        assertThat(ask("GET", "/_weir/" + name).status()).as(name).isEqualTo(200);
      }
    }
  }

  @Test
  void aFileThatTheBrowserHasIsNotSentAgain() throws Exception {
    start(ConsoleAccess.LOOPBACK);
    String tag = ask("GET", "/_weir/main.js").header("etag");

    RawClient.Response again =
        ask("GET", "/_weir/main.js", "Host: localhost\r\n", "If-None-Match: " + tag + "\r\n");

    assertThat(again.status()).isEqualTo(304);
    RawClient.Response redirect = ask("GET", "/_weir");
    assertThat(redirect.status()).isEqualTo(308);
    assertThat(redirect.header("location")).isEqualTo("/_weir/");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/_weir/nothing",
        "/_weir/../metrics",
        "/_weir/..%2f..%2fetc%2fpasswd",
        "/_weir/console.css/",
        "/_weir/Frame.class",
        "/_weir//index.html",
        "/_weir/%00"
      })
  void whatTheConsoleDoesNotHaveIsNotFound(String path) throws Exception {
    start(ConsoleAccess.LOOPBACK);
    RawClient.Response answer = ask("GET", path);
    assertThat(answer.status()).isEqualTo(404);
    assertThat(answer.body()).contains("/_weir/").hasLineCount(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "DELETE", "PATCH", "OPTIONS"})
  void nothingCanBeChangedThroughIt(String method) throws Exception {
    start(ConsoleAccess.LOOPBACK);
    for (String path : List.of("/_weir/", "/_weir/snapshot", "/_weir/events", "/_weir/none")) {
      RawClient.Response answer = ask(method, path, "Host: localhost\r\n", "Content-Length: 0\r\n");
      assertThat(answer.status()).isEqualTo(405);
      assertThat(answer.header("allow")).isEqualTo("GET, HEAD");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Host: weir.example.org\r\n",
        "Host: localhost.example.org:4437\r\n",
        "Host: localhost\r\nX-Forwarded-For: 10.0.0.1\r\n",
        "Host: localhost\r\nForwarded: for=10.0.0.1\r\n",
        "Host: 127.0.0.1.example.org\r\n",
        "Host: [::2]:4437\r\n"
      })
  void whoIsNotOfThisMachineIsToldWhichFlagWouldOpenIt(String headers) throws Exception {
    start(ConsoleAccess.LOOPBACK);
    for (String path : List.of("/_weir/", "/_weir/snapshot", "/_weir/events", "/_weir/pages")) {
      RawClient.Response answer = ask("GET", path, headers);
      assertThat(answer.status()).isEqualTo(403);
      assertThat(answer.body()).contains("--console anywhere").hasLineCount(1);
    }
    fixture.close();
    start(ConsoleAccess.ANYWHERE);
    assertThat(ask("GET", "/_weir/", headers).status()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost", "LOCALHOST:1", "127.0.0.1:4437", "[::1]", "[::1]:4437"})
  void namesOfThisMachineAreLetIn(String host) throws Exception {
    start(ConsoleAccess.LOOPBACK);
    assertThat(ask("GET", "/_weir/snapshot", "Host: " + host + "\r\n").status()).isEqualTo(200);
  }

  @Test
  void switchedOffItIsNotThere() throws Exception {
    start(ConsoleAccess.OFF);
    for (String path : List.of("/_weir/", "/_weir/snapshot", "/_weir/events")) {
      RawClient.Response answer = ask("GET", path);
      assertThat(answer.status()).isEqualTo(404);
      assertThat(answer.body()).contains("--console loopback").hasLineCount(1);
    }
  }

  @Test
  @SuppressWarnings("unchecked")
  void theSnapshotTellsWhatThePoolHolds() throws Exception {
    start(ConsoleAccess.LOOPBACK);
    RawClient.Response answer = ask("GET", "/_weir/snapshot");

    assertThat(answer.header("content-type")).isEqualTo("application/json");
    assertThat(answer.header("cache-control")).isEqualTo("no-store");
    Map<String, Object> view = JSON.std.mapFrom(answer.body());
    Map<String, Object> pool = (Map<String, Object>) view.get("pool");
    assertThat(pool).containsEntry("name", "node");
    assertThat(((Number) pool.get("limitBytes")).longValue()).isEqualTo(NodeFixture.BUDGET_BYTES);
    assertThat((Map<String, Object>) pool.get("waste"))
        .containsKeys(
            "freeSlotBytes",
            "uncommittedBytes",
            "quarantinedBytes",
            "hardeningBytes",
            "dirtyBytes",
            "roundingAtMostBytes",
            "promisedBytes",
            "growthAddressBytes");
    assertThat(pool).containsEntry("misuses", 0);
    assertThat((Map<String, Object>) pool.get("budgets"))
        .containsEntry("name", "node")
        .containsEntry("pressure", "none");
    List<Map<String, Object>> pages = (List<Map<String, Object>>) pool.get("pages");
    assertThat(pages).isNotEmpty();
    byte[] cells = Base64.getDecoder().decode((String) pages.getFirst().get("cells"));
    assertThat(cells.length % 3).isZero();
    assertThat((Map<String, Object>) view.get("node")).containsKeys("openConnections", "streams");
    assertThat(ask("HEAD", "/_weir/events").status()).isEqualTo(200);
  }

  @Test
  void aPartOfTheMapIsServedAndABadOneRefused() throws Exception {
    start(ConsoleAccess.LOOPBACK);
    RawClient.Response part =
        ask("GET", "/_weir/pages?region=small%20slabs&from=0&to=65536&cells=16");
    assertThat(part.status()).isEqualTo(200);
    assertThat(part.body()).contains("\"name\":\"small slabs\"");
    assertThat(ask("GET", "/_weir/pages?region=none").body()).isEqualTo("{\"pages\":[]}");
    for (String query :
        List.of(
            "cells=0",
            "cells=99999999",
            "from=5&to=5",
            "from=-1",
            "from=x",
            "to=%zz",
            "cells=9223372036854775807",
            "cells=-2147483648")) {
      RawClient.Response refused = ask("GET", "/_weir/pages?" + query);
      assertThat(refused.status()).as(query).isEqualTo(400);
      assertThat(refused.body()).hasLineCount(1);
    }
  }
}
