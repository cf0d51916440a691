package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The table of what clients may do wrong. Each row runs over HTTP/1.1 and HTTP/2 where both have
 * such a thing, in the clear and with TLS. Its answer and the fate of its connection are as the
 * table says; connections of others go on; a request that is not taken leaves no trace in its
 * stream; all memory, places and budgets are free again.
 */
@Timeout(120)
class HttpCasesTest {
  private static final int NO_CONTENT = 204;

  private record Place(CaseSetting setting, boolean encrypted) {}

  @TempDir static Path directory;
  private static final Map<Place, CaseNode> NODES = new HashMap<>();
  private static TestCertificate certificate;

  @BeforeAll
  static void makeCertificate() throws Exception {
    certificate = TestCertificate.create(directory.resolve("keys"));
  }

  @AfterAll
  static void stopNodes() throws IOException {
    for (CaseNode node : NODES.values()) {
      node.close();
    }
    NODES.clear();
  }

  private static CaseNode node(CaseSetting setting, boolean encrypted) throws Exception {
    Place place = new Place(setting, encrypted);
    CaseNode node = NODES.get(place);
    if (node == null) {
      Path data = directory.resolve(setting + (encrypted ? "-tls" : ""));
      node = new CaseNode(setting, encrypted, data, certificate);
      NODES.put(place, node);
    }
    return node;
  }

  static Stream<Arguments> rows() {
    return HttpCase.table()
        .flatMap(row ->
            Arrays.stream(CaseWire.values())
                .filter(row::isOver)
                .map(wire -> Arguments.of(row, wire)));
  }

  @ParameterizedTest(name = "{0}, {1}")
  @MethodSource("rows")
  void endsAsTheTableSays(HttpCase row, CaseWire wire) throws Exception {
    CaseNode node = node(row.setting(), wire.isEncrypted());
    Outcome expected = row.outcome(wire);
    node.prepare();
    String tail = node.tail();
    Outcome outcome;
    String text;
    try (CaseClient client = wire.connect(node.fixture)) {
      outcome = row.script(wire).play(client);
      text = client.answerText();
    }
    assertThat(outcome).as("what came of it, with the answer %s", text).isEqualTo(expected);
    if (expected.status() >= 400 && !text.isEmpty()) {
      assertThat(text).as("a reason in one line").hasLineCount(1).isNotBlank();
    }
    node.assertOthersUnharmed();
    if (expected.status() != NO_CONTENT) {
      assertThat(node.tail()).as("nothing was appended").isEqualTo(tail);
    }
    node.assertNothingLeft();
  }
}
