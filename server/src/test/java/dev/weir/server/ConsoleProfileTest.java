package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.memory.budget.Budget;
import dev.weir.netty.WeirAllocator;
import dev.weir.server.console.ConsoleAccess;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.jr.ob.JSON;

/** The profile of live memory, as the node hands it out. */
class ConsoleProfileTest {
  private static final int BLOCKS = 40;

  @TempDir Path directory;
  private final List<ByteBuf> held = new ArrayList<>();
  private NodeFixture fixture;
  private WeirAllocator allocator;

  private void start(long bytesPerSample) throws IOException {
    NodeParts parts = NodeParts.forBudget(NodeFixture.BUDGET_BYTES);
    fixture =
        new NodeFixture(
            directory,
            NodeFixture.BUDGET_BYTES,
            new NodeParts(
                    parts.disk(),
                    parts.sockets().transport(),
                    parts.limits(),
                    real -> {
                      allocator = (WeirAllocator) real.allocator();
                      return real;
                    })
                .with(
                    new Node.ConsoleSettings(
                        ConsoleAccess.LOOPBACK,
                        Duration.ofMillis(10),
                        bytesPerSample,
                        Duration.ofSeconds(30))));
  }

  /** 10 MiB for one budget: with a sample every 4 KiB, each buffer is one. */
  private void holdForReports() {
    Budget reports = allocator.pool().rootBudget().child("reports", Budget.UNLIMITED);
    for (int i = 0; i < BLOCKS; i++) {
      held.add(allocator.charging(reports).directBuffer(256 << 10));
    }
  }

  @AfterEach
  void stop() throws IOException {
    held.forEach(ByteBuf::release);
    fixture.assertNothingLeaked();
    fixture.close();
  }

  private HttpResponse<byte[]> get(String target) throws Exception {
    return fixture.http.send(
        HttpRequest.newBuilder(fixture.uri("/_weir/" + target)).build(),
        HttpResponse.BodyHandlers.ofByteArray());
  }

  private String text(String target) throws Exception {
    HttpResponse<byte[]> answer = get(target);
    assertThat(answer.statusCode()).as(target).isEqualTo(200);
    assertThat(answer.headers().firstValue("cache-control"))
        .hasValueSatisfying(value -> assertThat(value).startsWith("no-store"));
    return new String(answer.body(), StandardCharsets.UTF_8);
  }

  @Test
  void everyFormNamesWhoHoldsTheMemory() throws Exception {
    start(4 << 10);
    holdForReports();
    String here = "ConsoleProfileTest.holdForReports";

    HttpResponse<byte[]> pprof = get("profile.pb.gz");
    assertThat(pprof.headers().firstValue("content-disposition"))
        .hasValue("attachment; filename=\"weir-live.pb.gz\"");
    byte[] message = new GZIPInputStream(new ByteArrayInputStream(pprof.body())).readAllBytes();
    assertThat(new String(message, StandardCharsets.ISO_8859_1))
        .contains("inuse_space", here, "node/reports");

    assertThat(text("profile.collapsed"))
        .containsPattern("(?m)^node/reports;.*" + here + " [0-9]+$");
    assertThat(text("dump"))
        .contains("pool node: resident", "suspected leaks", "none", "budget node/reports")
        .containsPattern(here + "\\(ConsoleProfileTest.java:[0-9]+\\)");
    Map<String, Object> flame = JSON.std.mapFrom(text("flame?budget=node/reports"));
    assertThat(flame).containsEntry("name", "node/reports");
    assertThat(((Number) flame.get("bytes")).longValue()).isPositive();
    assertThat(leaf(flame)).contains(here);
  }

  /** Follows the widest way down. */
  private static String leaf(Map<?, ?> node) {
    List<?> children = (List<?>) node.get("children");
    return children.isEmpty() ? (String) node.get("name") : leaf((Map<?, ?>) children.getFirst());
  }

  @Test
  void aPartCanBeAskedFor() throws Exception {
    start(4 << 10);
    holdForReports();
    assertThat(text("profile.collapsed?budget=node/reports")).contains("holdForReports");
    assertThat(text("profile.collapsed?budget=node/report")).isEmpty();
    assertThat(text("profile.collapsed?older=3600")).isEmpty();
    assertThat(text("flame?budget=none")).contains("\"bytes\":0");
    for (String query : List.of("older=-1", "older=x", "older=", "older=99999999999999999999")) {
      HttpResponse<byte[]> refused = get("profile.collapsed?" + query);
      assertThat(refused.statusCode()).as(query).isEqualTo(400);
      assertThat(new String(refused.body(), StandardCharsets.UTF_8)).hasLineCount(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"profile.pb.gz", "profile.collapsed", "flame"})
  void withoutAProfileItSaysWhichFlagMakesOne(String target) throws Exception {
    start(0);
    HttpResponse<byte[]> answer = get(target);
    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(new String(answer.body(), StandardCharsets.UTF_8))
        .contains("--profile 512K")
        .hasLineCount(1);
    assertThat(text("dump")).contains("pool node");
    assertThat(text("snapshot")).doesNotContain("\"profile\"");
  }

  @Test
  @SuppressWarnings("unchecked")
  void theFiguresOfABudgetHaveWhatWasAskedFor() throws Exception {
    start(4 << 10);
    Budget images = allocator.pool().rootBudget().child("images", Budget.UNLIMITED);
    for (int i = 0; i < 640; i++) {
      held.add(allocator.charging(images).directBuffer(4_500));
    }
    Map<String, Object> pool = (Map<String, Object>) JSON.std.mapFrom(text("snapshot")).get("pool");
    Map<String, Object> root = (Map<String, Object>) pool.get("budgets");
    assertThat((Map<String, Object>) root.get("estimate")).containsKey("roundingBytes");
    assertThat((List<Map<String, Object>>) root.get("children"))
        .filteredOn(budget -> budget.get("name").equals("images"))
        .singleElement()
        .satisfies(budget -> {
          assertThat(budget).containsEntry("chargedBytes", 640 * 4_608);
          Map<String, Object> estimate = (Map<String, Object>) budget.get("estimate");
          assertThat((Integer) estimate.get("requestedBytes")).isCloseTo(640 * 4_500, within(640));
          assertThat((Integer) estimate.get("roundingBytes")).isCloseTo(640 * 108, within(640));
        });
    assertThat((List<Map<String, Object>>) pool.get("classes"))
        .filteredOn(row -> row.get("slotBytes").equals(4_608))
        .singleElement()
        .satisfies(
            row -> assertThat((Map<String, Object>) row.get("estimate")).containsKey("samples"));
  }

  @Test
  @SuppressWarnings("unchecked")
  void theFiguresHaveTheOldestBlocks() throws Exception {
    start(4 << 10);
    holdForReports();
    Map<String, Object> profile =
        (Map<String, Object>) JSON.std.mapFrom(text("snapshot")).get("profile");

    assertThat(profile).containsEntry("bytesPerSample", 4096).containsEntry("suspects", List.of());
    List<Map<String, Object>> oldest = (List<Map<String, Object>>) profile.get("oldest");
    assertThat(oldest)
        .anySatisfy(site -> {
          assertThat((String) site.get("place")).contains("holdForReports(");
          assertThat(site).containsEntry("budget", "node/reports").containsEntry("budgets", 1);
          assertThat((List<String>) site.get("stack")).hasSizeBetween(2, 16);
        });
  }
}
