package dev.weir.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Block;
import dev.weir.memory.budget.Budget;
import dev.weir.server.Answers.Answer;
import dev.weir.server.http.HttpLimits;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads in the codings that clients accept, over both protocols. */
class CompressedReadsTest {
  private static final String TEXT = "0123456789abcde\n".repeat(20_000);
  private static final String MESSAGES = "{\"name\":\"weir\",\"value\":1234567},".repeat(9_999);
  private static final String JSON = "[" + MESSAGES + "0]";
  private static final byte[] NOTHING = {};

  /** Room for contexts of every coding. */
  private static final long BUDGET_BYTES = 256 << 20;

  private static final String NOTHING_THERE_IS = "compress, identity;q=0";

  @TempDir Path directory;
  private final KnownBuffers buffers = new KnownBuffers();
  private NodeFixture fixture;

  @BeforeEach
  void start() throws Exception {
    NodeParts parts = buffers.parts(HttpLimits.forBudget(BUDGET_BYTES));
    fixture = new NodeFixture(directory, BUDGET_BYTES, parts);
    create("text", "text/plain", TEXT);
    create("json", "application/json", JSON);
    create("image", "image/png", TEXT);
    create("short", "text/plain", "a short one");
  }

  private void create(String stream, String type, String content) throws Exception {
    assertThat(fixture.send("PUT", stream, type, content).statusCode()).isEqualTo(201);
  }

  @AfterEach
  void stop() throws Exception {
    fixture.assertNothingLeaked();
    fixture.close();
  }

  static Stream<String> codings() {
    return Stream.of("zstd", "br", "gzip");
  }

  static Stream<Arguments> ways() {
    return codings()
        .flatMap(coding -> Stream.of(Arguments.of(coding, false), Arguments.of(coding, true)));
  }

  private Answer get(boolean http2, String path, String... headers) throws Exception {
    return Answers.get(fixture, http2, path, headers);
  }

  @ParameterizedTest
  @MethodSource("ways")
  void aStreamComesInTheCodingThatIsAccepted(String coding, boolean http2) throws Exception {
    for (String stream : List.of("text", "json")) {
      String path = "/v1/stream/" + stream;
      Answer plain = get(http2, path);
      Answer coded = get(http2, path, "Accept-Encoding", coding);
      assertThat(coded.status()).isEqualTo(200);
      assertThat(coded.header("content-encoding")).isEqualTo(coding);
      assertThat(coded.header("content-length")).isNull();
      assertThat(coded.header("vary")).isEqualToIgnoringCase("accept-encoding");
      assertThat(coded.header("etag")).isEqualTo("W/" + plain.header("etag"));
      assertThat(coded.header("stream-next-offset")).isEqualTo(plain.header("stream-next-offset"));
      assertThat(coded.body().length).isLessThan(plain.body().length / 10);
      assertThat(coded.content()).isEqualTo(plain.body());
      assertThat(new String(plain.body(), UTF_8)).isEqualTo(stream.equals("json") ? JSON : TEXT);

      Answer head = Answers.ask(fixture, http2, "HEAD", path, NOTHING, "Accept-Encoding", coding);
      assertThat(head.header("content-encoding")).isEqualTo(coding);
      assertThat(head.header("content-length")).isNull();
      assertThat(head.header("vary")).isEqualToIgnoringCase("accept-encoding");
      assertThat(head.header("etag")).isEqualTo(coded.header("etag"));
      assertThat(head.body()).isEmpty();
    }
  }

  /** It gets no chunks, so what comes in parts comes as it is. */
  @Test
  void aClientOfHttp10GetsWhatHeadHasTold() throws Exception {
    String asked = " /v1/stream/text HTTP/1.0\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n";
    try (RawClient one = fixture.raw();
        RawClient other = fixture.raw()) {
      RawClient.Response head = one.send("HEAD" + asked).receiveHead();
      RawClient.Response read = other.send("GET" + asked).receive();
      assertThat(read.body()).isEqualTo(TEXT);
      for (RawClient.Response each : List.of(head, read)) {
        assertThat(each.status()).isEqualTo(200);
        assertThat(each.header("content-encoding")).isNull();
        assertThat(each.header("content-length")).isEqualTo("" + TEXT.length());
        assertThat(each.header("etag")).isEqualTo(head.header("etag")).startsWith("\"");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whoeverSaysNothingGetsAStreamAsItIs(boolean http2) throws Exception {
    Answer plain = get(http2, "/v1/stream/text");
    assertThat(plain.header("content-encoding")).isNull();
    assertThat(plain.header("content-length")).isEqualTo("" + TEXT.length());
    assertThat(plain.header("etag")).startsWith("\"");
    assertThat(plain.header("vary")).isEqualToIgnoringCase("accept-encoding");
    assertThat(new String(plain.body(), UTF_8)).isEqualTo(TEXT);
    Answer head = Answers.ask(fixture, http2, "HEAD", "/v1/stream/text", NOTHING);
    assertThat(head.header("content-length")).isEqualTo("" + TEXT.length());
    assertThat(head.header("etag")).isEqualTo(plain.header("etag"));
    assertThat(head.header("vary")).isEqualToIgnoringCase("accept-encoding");
    head = Answers.ask(fixture, http2, "HEAD", "/v1/stream/json", NOTHING);
    assertThat(head.header("content-length")).isEqualTo("" + JSON.length());
  }

  @ParameterizedTest
  @CsvSource({"short, false", "short, true", "image, false", "image, true"})
  void whatIsNotWorthItStaysAsItIs(String stream, boolean http2) throws Exception {
    String path = "/v1/stream/" + stream;
    Answer plain = get(http2, path);
    Answer asked = get(http2, path, "Accept-Encoding", "zstd, gzip");
    assertThat(asked.header("content-encoding")).isNull();
    assertThat(asked.header("content-length")).isEqualTo("" + plain.body().length);
    assertThat(asked.header("etag")).isEqualTo(plain.header("etag")).startsWith("\"");
    assertThat(asked.body()).isEqualTo(plain.body());
    Answer head = Answers.ask(fixture, http2, "HEAD", path, NOTHING, "Accept-Encoding", "zstd");
    assertThat(head.header("content-encoding")).isNull();
    assertThat(head.header("content-length")).isEqualTo("" + plain.body().length);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theClientsWeightsDecide(boolean http2) throws Exception {
    String path = "/v1/stream/text";
    assertThat(encoding(http2, path, "gzip, br, zstd")).isEqualTo("zstd");
    assertThat(encoding(http2, path, "zstd;q=0.1, gzip;q=0.9")).isEqualTo("gzip");
    assertThat(encoding(http2, path, "*")).isEqualTo("zstd");
    assertThat(encoding(http2, path, "deflate, compress")).isNull();
    assertThat(encoding(http2, path, "gzip;q=0.5, identity")).isNull();
  }

  private String encoding(boolean http2, String path, String accept) throws Exception {
    return get(http2, path, "Accept-Encoding", accept).header("content-encoding");
  }

  @ParameterizedTest
  @MethodSource("ways")
  void whatHasNotChangedIsNotSentAgain(String coding, boolean http2) throws Exception {
    String path = "/v1/stream/text";
    String weak = get(http2, path, "Accept-Encoding", coding).header("etag");
    Answer again = get(http2, path, "Accept-Encoding", coding, "If-None-Match", weak);
    assertThat(again.status()).isEqualTo(304);
    assertThat(again.header("etag")).isEqualTo(weak);
    assertThat(again.header("vary")).isEqualToIgnoringCase("accept-encoding");
    assertThat(again.header("content-encoding")).isNull();
    String strong = weak.substring(2);
    Answer asItWas = get(http2, path, "Accept-Encoding", coding, "If-None-Match", strong);
    assertThat(asItWas.status()).isEqualTo(304);
    assertThat(asItWas.header("etag")).isEqualTo(strong);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whoeverAcceptsNothingThereIsIsTold(boolean http2) throws Exception {
    for (String path : List.of("/v1/stream/text", "/v1/stream/text?offset=-1&live=sse", "/")) {
      Answer refused = get(http2, path, "Accept-Encoding", NOTHING_THERE_IS);
      assertThat(refused.status()).isEqualTo(406);
      assertThat(new String(refused.body(), UTF_8)).contains("zstd, br, gzip, identity");
    }
    Answer head =
        Answers.ask(
            fixture,
            http2,
            "HEAD",
            "/v1/stream/text",
            NOTHING,
            "Accept-Encoding",
            NOTHING_THERE_IS);
    assertThat(head.status()).isEqualTo(406);
    assertThat(get(http2, "/v1/stream/text", "Accept-Encoding", "*;q=0").status()).isEqualTo(406);
  }

  /** There is no content to be had in one coding or another: what was done is done. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void changesAreAcknowledgedWhateverIsAccepted(boolean http2) throws Exception {
    String path = "/v1/stream/changed" + http2;
    String[] headers = {"Content-Type", "text/plain", "Accept-Encoding", NOTHING_THERE_IS};
    assertThat(Answers.ask(fixture, http2, "PUT", path, NOTHING, headers).status()).isEqualTo(201);
    assertThat(Answers.ask(fixture, http2, "PUT", path, NOTHING, headers).status()).isEqualTo(200);
    byte[] body = "x".getBytes(UTF_8);
    assertThat(Answers.ask(fixture, http2, "POST", path, body, headers).status()).isEqualTo(204);
    assertThat(new String(get(http2, path).body(), UTF_8)).isEqualTo("x");
    assertThat(Answers.ask(fixture, http2, "DELETE", path, NOTHING, headers).status())
        .isEqualTo(204);
  }

  @ParameterizedTest
  @MethodSource("ways")
  void whoeverRefusesTheContentAsItIsGetsEvenTheShortAndTheImage(String coding, boolean http2)
      throws Exception {
    for (String stream : List.of("short", "image")) {
      String path = "/v1/stream/" + stream;
      Answer coded = get(http2, path, "Accept-Encoding", coding + ", identity;q=0");
      assertThat(coded.header("content-encoding")).isEqualTo(coding);
      assertThat(coded.content()).isEqualTo(get(http2, path).body());
    }
  }

  @ParameterizedTest
  @MethodSource("ways")
  void aLongPollIsAnsweredInTheCodingThatIsAccepted(String coding, boolean http2) throws Exception {
    String tail = get(http2, "/v1/stream/text").header("stream-next-offset");
    String path = "/v1/stream/text?live=long-poll&offset=" + tail;
    CompletableFuture<Answer> poll =
        CompletableFuture.supplyAsync(() -> {
          try {
            return get(http2, path, "Accept-Encoding", coding);
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        });
    String news = "news, and more of them\n".repeat(100);
    assertThat(fixture.send("POST", "text", "text/plain", news).statusCode()).isEqualTo(204);
    Answer answer = poll.get();
    assertThat(answer.header("content-encoding")).isEqualTo(coding);
    assertThat(new String(answer.content(), UTF_8)).isEqualTo(news);
  }

  @Test
  void eventsAreLeftAsTheyAre() throws Exception {
    try (RawClient client = fixture.raw()) {
      client.send(
          "GET /v1/stream/text?offset=-1&live=sse HTTP/1.1\r\nHost: localhost\r\n"
              + "Accept-Encoding: zstd, gzip\r\n\r\n");
      assertThat(client.readUntil("upToDate"))
          .doesNotContainIgnoringCase("content-encoding")
          .contains("data:0123456789abcde\n");
    }
  }

  /** Whoever takes events in no other way gets each as soon as it is there. */
  @ParameterizedTest
  @ValueSource(strings = {"zstd", "gzip"})
  void eventsInACodingComeOneByOne(String coding) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(fixture.uri("/v1/stream/short?offset=-1&live=sse"))
            .header("Accept-Encoding", coding + ", identity;q=0")
            .build();
    HttpResponse<InputStream> response = fixture.http.send(request, BodyHandlers.ofInputStream());
    assertThat(response.headers().firstValue("content-encoding")).hasValue(coding);
    try (InputStream events = Coded.reader(coding, response.body())) {
      await(events, "data:a short one\n");
      for (int i = 0; i < 5; i++) {
        String text = "event " + i;
        assertThat(fixture.send("POST", "short", "text/plain", text).statusCode()).isEqualTo(204);
        await(events, "data:" + text + "\n");
      }
    }
  }

  /** A byte at a time: readers of lines wait for more than they need. */
  private static void await(InputStream events, String text) throws IOException {
    StringBuilder all = new StringBuilder();
    while (all.indexOf(text) < 0) {
      int next = events.read();
      assertThat(next).as("after %s", all).isNotNegative();
      all.append((char) next);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void figuresAndTheConsoleAreCompressedToo(boolean http2) throws Exception {
    for (String path : List.of("/metrics", "/_weir/", "/_weir/d3.js", "/_weir/snapshot")) {
      Answer coded = get(http2, path, "Accept-Encoding", "gzip");
      assertThat(coded.status()).isEqualTo(200);
      assertThat(coded.header("content-encoding")).as(path).isEqualTo("gzip");
      assertThat(coded.header("content-length")).isEqualTo("" + coded.body().length);
      assertThat(coded.content().length).isGreaterThan(coded.body().length);
    }
    Answer script = get(http2, "/_weir/d3.js", "Accept-Encoding", "br");
    assertThat(script.content()).isEqualTo(get(http2, "/_weir/d3.js").body());
    assertThat(
            get(
                    http2,
                    "/_weir/d3.js",
                    "Accept-Encoding",
                    "br",
                    "If-None-Match",
                    script.header("etag"))
                .status())
        .isEqualTo(304);
  }

  @Test
  void aSmallNodeOffersWhatItHasRoomFor(@TempDir Path other) throws Exception {
    try (NodeFixture small = new NodeFixture(other)) {
      assertThat(small.send("PUT", "a", "text/plain", TEXT).statusCode()).isEqualTo(201);
      Answer coded = Answers.get(small, true, "/v1/stream/a", "Accept-Encoding", "br, gzip;q=0.5");
      assertThat(coded.header("content-encoding")).isEqualTo("gzip");
      small.assertNothingLeaked();
    }
  }

  private Budget contexts() {
    return buffers.pool().rootBudget().children().stream()
        .filter(child -> child.name().equals("compression"))
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @MethodSource("ways")
  void withoutRoomForAContextAStreamComesAsItIs(String coding, boolean http2) throws Exception {
    Budget contexts = contexts();
    List<Block> held = new ArrayList<>();
    for (long bytes = contexts.limitBytes(); bytes >= 4096; bytes /= 2) {
      Block block = buffers.pool().tryAllocate(bytes, contexts);
      if (block != null) {
        held.add(block);
      }
    }
    try {
      Answer plain = get(http2, "/v1/stream/text", "Accept-Encoding", coding);
      assertThat(plain.status()).isEqualTo(200);
      assertThat(plain.header("content-encoding")).isNull();
      assertThat(plain.header("vary")).isEqualToIgnoringCase("accept-encoding");
      assertThat(plain.header("etag")).startsWith("\"");
      assertThat(new String(plain.body(), UTF_8)).isEqualTo(TEXT);
      Answer refused = get(http2, "/v1/stream/text", "Accept-Encoding", coding + ", identity;q=0");
      assertThat(refused.status()).isEqualTo(503);
      assertThat(refused.header("retry-after")).isEqualTo("1");
    } finally {
      held.forEach(Block::release);
    }
    // Pressure falls a moment later.
    NodeFixture.await(
        "compressed answers again",
        () -> {
          try {
            return coding.equals(encoding(http2, "/v1/stream/text", coding));
          } catch (Exception e) {
            throw new IOException(e);
          }
        });
  }
}
