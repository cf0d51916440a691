package dev.weir.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.aayushatharva.brotli4j.encoder.BrotliOutputStream;
import com.aayushatharva.brotli4j.encoder.Encoder;
import dev.weir.memory.Block;
import dev.weir.memory.Pool;
import dev.weir.memory.budget.Budget;
import dev.weir.netty.WeirAllocator;
import dev.weir.server.Answers.Answer;
import dev.weir.server.http.HttpLimits;
import dev.weir.server.http.Transport;
import dev.weir.streams.LocalDisk;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies that their clients have compressed: stored as what they stand for, or not at all. */
class CompressedAppendsTest {
  private static final String PATH = "/v1/stream/a";
  private static final String BEFORE = "what was there before\n";
  private static final int MAX_BODY_BYTES = 8 << 20;
  private static final Duration NEVER = Duration.ofDays(1);

  /** Room for contexts of every coding. */
  private static final long BUDGET_BYTES = 256 << 20;

  private static final byte[] NOTHING = {};

  @TempDir Path directory;
  private NodeFixture fixture;
  private Pool pool;

  @BeforeEach
  void start() throws Exception {
    start(CodingChoice.DEFAULT);
  }

  private void start(CodingChoice codings) throws Exception {
    HttpLimits limits =
        new HttpLimits(48, MAX_BODY_BYTES, 8 << 20, NEVER, NEVER, NEVER, NEVER, NEVER);
    NodeParts parts =
        new NodeParts(
                new LocalDisk(),
                Transport.best(),
                limits,
                real -> {
                  pool = ((WeirAllocator) real.allocator()).pool();
                  return real;
                })
            .coding(codings);
    fixture = new NodeFixture(directory, BUDGET_BYTES, parts);
    fixture.send("PUT", "a", "text/plain", BEFORE);
  }

  @AfterEach
  void stop() throws Exception {
    fixture.assertNothingLeaked();
    fixture.close();
  }

  /** Text that becomes a quarter shorter. */
  private static byte[] text(int bytes) {
    byte[] noise = new byte[bytes * 3 / 4 + 3];
    new Random(7).nextBytes(noise);
    return Arrays.copyOf(Base64.getEncoder().encode(noise), bytes);
  }

  private Answer send(
      boolean http2, String method, String path, String type, String coding, byte[] body)
      throws Exception {
    return Answers.ask(
        fixture, http2, method, path, body, "Content-Type", type, "Content-Encoding", coding);
  }

  private Answer append(boolean http2, String coding, byte[] body) throws Exception {
    return send(http2, "POST", PATH, "text/plain", coding, body);
  }

  private void assertStored(byte[] appended) throws Exception {
    byte[] all = Answers.get(fixture, false, PATH).body();
    assertThat(new String(all, 0, BEFORE.length(), UTF_8)).isEqualTo(BEFORE);
    assertThat(Arrays.copyOfRange(all, BEFORE.length(), all.length)).isEqualTo(appended);
  }

  /** Nothing of the body is in the stream, nor in a file of its own. */
  private void assertNothingStored() throws Exception {
    assertStored(NOTHING);
    NodeFixture.await("no file of a body", () -> fileBytes() < 1 << 16);
  }

  private long fileBytes() throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    }
  }

  @ParameterizedTest
  @MethodSource("dev.weir.server.CompressedReadsTest#ways")
  void bodiesOfEveryLengthAreStoredAsWhatTheyStandFor(String coding, boolean http2)
      throws Exception {
    int[] lengths = {1, 1_000, 60_000, 70_000, 300_000, 5_000_000};
    for (int bytes : lengths) {
      byte[] body = text(bytes);
      String path = "/v1/stream/of-" + bytes;
      Answer created = send(http2, "PUT", path, "text/plain", coding, Coded.encode(coding, body));
      assertThat(created.status()).isEqualTo(201);
      Answer appended = send(http2, "POST", path, "text/plain", coding, Coded.encode(coding, body));
      assertThat(appended.status()).isEqualTo(204);
      byte[] stored = Answers.get(fixture, http2, path).body();
      assertThat(stored).hasSize(2 * bytes);
      assertThat(Arrays.copyOf(stored, bytes)).isEqualTo(body);
      assertThat(Arrays.copyOfRange(stored, bytes, 2 * bytes)).isEqualTo(body);
    }
  }

  @ParameterizedTest
  @MethodSource("dev.weir.server.CompressedReadsTest#ways")
  void messagesAreTakenApartBehindTheCoding(String coding, boolean http2) throws Exception {
    String path = "/v1/stream/json";
    byte[] body = ("[" + "{\"n\":1}, ".repeat(60_000) + "2]").getBytes(UTF_8);
    assertThat(
            send(http2, "PUT", path, "application/json", coding, Coded.encode(coding, body))
                .status())
        .isEqualTo(201);
    String stored = new String(Answers.get(fixture, http2, path).body(), UTF_8);
    assertThat(stored).isEqualTo("[" + "{\"n\":1},".repeat(60_000) + "2]");
    byte[] broken = Coded.encode(coding, "{\"n\":".getBytes(UTF_8));
    assertThat(send(http2, "POST", path, "application/json", coding, broken).status())
        .isEqualTo(400);
    byte[] empty = Coded.encode(coding, "[]".getBytes(UTF_8));
    assertThat(send(http2, "POST", path, "application/json", coding, empty).status())
        .isEqualTo(400);
    assertThat(new String(Answers.get(fixture, http2, path).body(), UTF_8)).isEqualTo(stored);
  }

  @ParameterizedTest
  @MethodSource("dev.weir.server.CompressedReadsTest#codings")
  void aBodyInChunksOfAFewBytesIsStored(String coding) throws Exception {
    byte[] body = text(3_000);
    byte[] encoded = Coded.encode(coding, body);
    try (RawClient client = fixture.raw()) {
      client.send(head("Transfer-Encoding: chunked\r\nContent-Encoding: " + coding));
      for (int i = 0; i < encoded.length; i += 7) {
        int length = Math.min(7, encoded.length - i);
        client.send(length + "\r\n");
        client.send(Arrays.copyOfRange(encoded, i, i + length)).send("\r\n");
      }
      assertThat(client.send("0\r\n\r\n").receive().status()).isEqualTo(204);
      // The fixture keeps one, unless the machine was busy elsewhere for so long that it idled out.
      assertThat(client.openConnections()).isLessThanOrEqualTo(2);
    }
    assertStored(body);
  }

  private static String head(String headers) {
    return "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n%s\r\n\r\n"
        .formatted(PATH, headers);
  }

  @ParameterizedTest
  @ValueSource(strings = {"deflate", "gzip, gzip", "gzip, br", "aes128gcm", "x\u00e9"})
  void aCodingThatIsNotKnownIsRefusedWithThoseThatAre(String coding) throws Exception {
    try (RawClient client = fixture.raw()) {
      client.send(head("Content-Length: 5\r\nContent-Encoding: " + coding)).send("12345");
      RawClient.Response refused = client.receive();
      assertThat(refused.status()).isEqualTo(415);
      assertThat(refused.header("Accept-Encoding")).isEqualTo("zstd, br, gzip");
      assertThat(refused.body()).hasLineCount(1);
      // The connection is as good as before.
      client.send(head("Content-Length: 3\r\nContent-Encoding: identity")).send("abc");
      assertThat(client.receive().status()).isEqualTo(204);
      client.send(head("Expect: 100-continue\r\nContent-Length: 5\r\nContent-Encoding: " + coding));
      assertThat(client.receive().status()).isEqualTo(415);
    }
    assertStored("abc".getBytes(UTF_8));
  }

  @Test
  void aCodingThatIsNotKnownIsRefusedOverHttp2Too() throws Exception {
    Answer refused = append(/* http2= */ true, "deflate", text(100_000));
    assertThat(refused.status()).isEqualTo(415);
    assertThat(refused.header("accept-encoding")).isEqualTo("zstd, br, gzip");
    assertNothingStored();
  }

  @ParameterizedTest
  @MethodSource("dev.weir.server.CompressedReadsTest#ways")
  void aBodyThatIsDamagedOrCutOffLeavesNothing(String coding, boolean http2) throws Exception {
    for (int bytes : new int[] {2_000, 2_000_000}) {
      byte[] whole = Coded.encode(coding, text(bytes));
      byte[] cut = Arrays.copyOf(whole, whole.length - 5);
      assertThat(append(http2, coding, cut).status()).isEqualTo(400);
      byte[] damaged = whole.clone();
      Arrays.fill(damaged, whole.length / 2, whole.length / 2 + 40, (byte) 0xff);
      // brotli has no checksum: what is damaged may still be a content.
      if (!coding.equals("br")) {
        assertThat(append(http2, coding, damaged).status()).isEqualTo(400);
      }
      assertThat(append(http2, coding, text(bytes)).status()).isEqualTo(400);
      byte[] goesOn = Arrays.copyOf(whole, whole.length + 100);
      assertThat(append(http2, coding, goesOn).status()).isEqualTo(400);
    }
    assertNothingStored();
  }

  @ParameterizedTest
  @MethodSource("dev.weir.server.CompressedReadsTest#ways")
  void aBombIsRefused(String coding, boolean http2) throws Exception {
    // Within the limit of length, and many times as long as what is sent.
    assertThat(append(http2, coding, Coded.encode(coding, new byte[MAX_BODY_BYTES])).status())
        .isEqualTo(413);
    assertNothingStored();
  }

  @ParameterizedTest
  @MethodSource("dev.weir.server.CompressedReadsTest#ways")
  void theLimitIsThatOfWhatIsStored(String coding, boolean http2) throws Exception {
    byte[] tooLong = Coded.encode(coding, text(MAX_BODY_BYTES + 1));
    assertThat(tooLong.length).isLessThan(MAX_BODY_BYTES);
    assertThat(append(http2, coding, tooLong).status()).isEqualTo(413);
    assertNothingStored();
    byte[] longest = text(MAX_BODY_BYTES);
    assertThat(append(http2, coding, Coded.encode(coding, longest)).status()).isEqualTo(204);
    assertStored(longest);
  }

  @Test
  void whatIsAnnouncedAboveAllLimitsIsNotAskedFor() throws Exception {
    try (RawClient client = fixture.raw()) {
      client.send(
          head(
              "Expect: 100-continue\r\nContent-Encoding: gzip\r\nContent-Length: "
                  + (MAX_BODY_BYTES + (1 << 20))));
      assertThat(client.receive().status()).isEqualTo(413);
    }
    assertNothingStored();
  }

  /** As the command of that name has it. */
  @Test
  void aBodyWithTheLargestWindowOfBrotliFits() throws Exception {
    byte[] body = text(3_000_000);
    ByteArrayOutputStream encoded = new ByteArrayOutputStream();
    Encoder.Parameters largest = new Encoder.Parameters().setQuality(4).setWindow(24);
    try (BrotliOutputStream out = new BrotliOutputStream(encoded, largest)) {
      out.write(body);
    }
    assertThat(append(/* http2= */ false, "br", encoded.toByteArray()).status()).isEqualTo(204);
    assertStored(body);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anEmptyContentAppendsNothing(boolean http2) throws Exception {
    assertThat(append(http2, "gzip", Coded.encode("gzip", NOTHING)).status()).isEqualTo(400);
    assertNothingStored();
  }

  @ParameterizedTest
  @MethodSource("dev.weir.server.CompressedReadsTest#ways")
  void withoutRoomForAContextABodyIsRefusedForNow(String coding, boolean http2) throws Exception {
    byte[] body = text(100_000);
    byte[] encoded = Coded.encode(coding, body);
    Budget contexts =
        pool.rootBudget().children().stream()
            .filter(child -> child.name().equals(CodingChoice.BUDGET_NAME))
            .findFirst()
            .orElseThrow();
    List<Block> held = new ArrayList<>();
    for (long bytes = contexts.limitBytes(); bytes >= 4096; bytes /= 2) {
      Block block = pool.tryAllocate(bytes, contexts);
      if (block != null) {
        held.add(block);
      }
    }
    try {
      Answer refused = append(http2, coding, encoded);
      assertThat(refused.status()).isEqualTo(503);
      assertThat(refused.header("retry-after")).isEqualTo("1");
    } finally {
      held.forEach(Block::release);
    }
    assertNothingStored();
    Answer later = append(http2, coding, encoded);
    // The pool may not have seen yet that nobody waits for the room any more.
    for (int i = 0; i < 1_000 && later.status() == 503; i++) {
      later = append(http2, coding, encoded);
    }
    assertThat(later.status()).isEqualTo(204);
    assertStored(body);
  }

  @ParameterizedTest
  @MethodSource("dev.weir.server.CompressedReadsTest#codings")
  void clientsThatVanishInTheMiddleLeaveNothing(String coding) throws Exception {
    byte[] encoded = Coded.encode(coding, text(1_000_000));
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      RawClient client = fixture.raw();
      client.send(
          head("Content-Length: %d\r\nContent-Encoding: %s".formatted(encoded.length, coding)));
      clients.add(client.send(Arrays.copyOf(encoded, 20_000 + 150_000 * i)));
    }
    NodeFixture.await("a context in use", () -> fixture.node.contextBytes() > 0);
    for (RawClient client : clients) {
      client.reset();
    }
    try (Http2Client client = fixture.http2()) {
      int stream =
          client.request(
              /* last= */ false,
              "POST",
              PATH,
              "content-type",
              "text/plain",
              "content-encoding",
              coding);
      client.data(stream, Arrays.copyOf(encoded, 60_000), /* last= */ false);
      // More of the window than was left: the node has used up half of it.
      client.awaitWindow(stream, 30_000);
      client.reset(stream, /* CANCEL */ 8);
      fixture.assertNothingLeaked();
    }
    assertNothingStored();
    fixture.http.close();
    NodeFixture.await("no other connection", () -> fixture.openConnections() == 1);
  }

  /** A body is stored once, whatever it was sent as. */
  @Test
  void aProducersRetryInAnotherCodingIsADuplicate() throws Exception {
    byte[] body = text(5_000);
    int[] statuses = {200, 204};
    String[] codings = {"zstd", "gzip"};
    for (int i = 0; i < 2; i++) {
      Answer answer =
          Answers.ask(
              fixture,
              false,
              "POST",
              PATH,
              Coded.encode(codings[i], body),
              "Content-Type",
              "text/plain",
              "Content-Encoding",
              codings[i],
              "Producer-Id",
              "p",
              "Producer-Epoch",
              "0",
              "Producer-Seq",
              "0");
      assertThat(answer.status()).isEqualTo(statuses[i]);
    }
    assertStored(body);
  }

  @Test
  void whatWasAcknowledgedIsThereAfterTheNodeWasStopped() throws Exception {
    byte[] body = text(400_000);
    assertThat(append(false, "zstd", Coded.encode("zstd", body)).status()).isEqualTo(204);
    fixture.close();
    start(CodingChoice.DEFAULT);
    assertStored(body);
  }

  @Test
  void withoutCompressionNothingIsDecodedOrCompressed() throws Exception {
    fixture.close();
    start(CodingChoice.OFF);
    Answer refused = append(false, "gzip", Coded.encode("gzip", text(100)));
    assertThat(refused.status()).isEqualTo(415);
    assertThat(refused.header("accept-encoding")).isEqualTo("identity");
    assertThat(append(false, "identity", text(10_000)).status()).isEqualTo(204);
    Answer plain = Answers.get(fixture, true, PATH, "Accept-Encoding", "gzip");
    assertThat(plain.header("content-encoding")).isNull();
    assertThat(plain.header("vary")).isNull();
    Answer none = Answers.get(fixture, true, PATH, "Accept-Encoding", "gzip, identity;q=0");
    assertThat(none.status()).isEqualTo(406);
  }
}
