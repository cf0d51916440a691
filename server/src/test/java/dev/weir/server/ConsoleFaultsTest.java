package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.WeirAllocator;
import dev.weir.server.console.ConsoleAccess;
import dev.weir.server.http.HttpLimits;
import dev.weir.server.http.Transport;
import dev.weir.streams.LocalDisk;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.jr.ob.JSON;

/**
 * Profiles and figures for too many, for those who do not read, and while memory is hard at work.
 */
class ConsoleFaultsTest {
  private static final Duration NEVER = Duration.ofDays(1);
  private static final List<String> TARGETS =
      List.of("snapshot", "dump", "flame", "profile.pb.gz", "profile.collapsed");

  @TempDir Path directory;
  private NodeFixture fixture;
  private WeirAllocator allocator;

  @BeforeEach
  void start() throws IOException {
    long budget = NodeFixture.BUDGET_BYTES;
    HttpLimits limits =
        new HttpLimits(96, 1 << 30, budget / 4, NEVER, Duration.ofMillis(300), NEVER, NEVER, NEVER);
    fixture =
        new NodeFixture(
            directory,
            budget,
            new NodeParts(
                    new LocalDisk(),
                    Transport.best(),
                    limits,
                    real -> {
                      allocator = (WeirAllocator) real.allocator();
                      return real;
                    })
                .with(
                    new Node.ConsoleSettings(
                        ConsoleAccess.LOOPBACK,
                        Duration.ofMillis(5),
                        4 << 10,
                        Duration.ofSeconds(1))));
  }

  @AfterEach
  void stop() throws IOException {
    fixture.assertNothingLeaked();
    allocator.pool().checkInvariants();
    fixture.close();
  }

  private static String get(String target) {
    return "GET /_weir/" + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
  }

  /** Answers that nobody waits for keep their places until they are made. */
  private static void awaitAnswer(RawClient client, String target) throws IOException {
    NodeFixture.await(
        target,
        () -> {
          RawClient.Response answer = client.send(get(target)).receive();
          assertThat(answer.status()).as(target).isIn(200, 503);
          return answer.status() == 200;
        });
  }

  /** Churn in a thread of its own, until told to end. */
  private CompletableFuture<Void> burst(AtomicBoolean goesOn, AtomicLong rounds) {
    return CompletableFuture.runAsync(
        () -> {
          Random random = new Random(1);
          List<ByteBuf> held = new ArrayList<>();
          while (goesOn.get()) {
            held.add(allocator.directBuffer(1 << (4 + random.nextInt(14))));
            if (held.size() > 200 || random.nextInt(3) == 0) {
              held.remove(random.nextInt(held.size())).release();
            }
            rounds.incrementAndGet();
          }
          held.forEach(ByteBuf::release);
        },
        task -> Thread.ofPlatform().name("burst").start(task));
  }

  @Test
  void scrapesDuringABurstAreWholeAndTheBurstGoesOn() throws Exception {
    AtomicBoolean goesOn = new AtomicBoolean(true);
    AtomicLong rounds = new AtomicLong();
    List<CompletableFuture<Void>> bursts =
        List.of(burst(goesOn, rounds), burst(goesOn, rounds), burst(goesOn, rounds));
    try (RawClient client = fixture.raw()) {
      for (int i = 0; i < 20; i++) {
        long before = rounds.get();
        for (String target : TARGETS) {
          RawClient.Response answer = client.send(get(target)).receive();
          assertThat(answer.status()).as(target).isEqualTo(200);
          if (target.equals("snapshot") || target.equals("flame")) {
            assertThat(JSON.std.mapFrom(answer.body())).isNotEmpty();
          }
        }
        NodeFixture.await("the burst goes on", () -> rounds.get() > before);
      }
    } finally {
      goesOn.set(false);
    }
    bursts.forEach(CompletableFuture::join);
  }

  @Test
  void aThousandProfilesAtOnceAreAnsweredOrRefused() throws Exception {
    List<ByteBuf> held = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      held.add(allocator.directBuffer(16 << 10));
    }
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      clients.add(fixture.raw().send(get("profile.collapsed").repeat(20)));
    }
    int answered = 0;
    for (RawClient client : clients) {
      for (int i = 0; i < 20; i++) {
        RawClient.Response answer = client.receive();
        assertThat(answer.status()).isIn(200, 503);
        answered += answer.status() == 200 ? 1 : 0;
        assertThat(answer.status() == 200 || "1".equals(answer.header("retry-after"))).isTrue();
      }
      client.close();
    }
    assertThat(answered).isPositive();
    try (RawClient client = fixture.raw()) {
      awaitAnswer(client, "profile.pb.gz");
    }
    held.forEach(ByteBuf::release);
  }

  /** Each asks for more than its socket holds; the places of their answers come free again. */
  @Test
  void thoseWhoAskAndNeverReadAreDropped() throws Exception {
    List<RawClient> deaf = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      RawClient client = new RawClient(fixture.node.address(), 4096);
      client.send((get("snapshot") + get("dump")).repeat(400));
      deaf.add(client);
    }
    NodeFixture.await(
        "those who do not read are gone",
        () -> fixture.metric("weir_http_failed_connections_total{reason=\"stalled\"}") >= 16);
    NodeFixture.await("no other connection", () -> fixture.openConnections() == 1);
    try (RawClient client = fixture.raw()) {
      for (String target : TARGETS) {
        awaitAnswer(client, target);
      }
    }
    for (RawClient client : deaf) {
      client.close();
    }
    assertThat(fixture.node.peakResidentBytes()).isLessThan(NodeFixture.BUDGET_BYTES / 4);
  }
}
