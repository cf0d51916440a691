package dev.weir.objects.s3;

import static dev.weir.streams.objects.Outcomes.await;
import static dev.weir.streams.objects.Outcomes.awaitEnd;
import static dev.weir.streams.objects.Outcomes.bytes;
import static dev.weir.streams.objects.Outcomes.put;
import static dev.weir.streams.objects.Outcomes.read;
import static dev.weir.streams.objects.Outcomes.target;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.objects.s3.testing.FakeS3;
import dev.weir.objects.s3.testing.FaultyProxy;
import dev.weir.streams.objects.PutCondition;
import dev.weir.streams.objects.Request;
import java.lang.foreign.MemorySegment;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Behind a network that is slow, or breaks. */
class ProxiedStoreTest {
  private FakeS3 service;
  private FaultyProxy proxy;
  private S3ObjectStore store;

  @BeforeEach
  void open() throws Exception {
    service = new FakeS3();
    proxy = new FaultyProxy(service.endpoint());
    store =
        S3ObjectStore.open(
            S3Options.of(URI.create("s3://bucket"))
                .withEndpoint(proxy.endpoint())
                .withCredentials("key", "secret")
                .withTimeouts(Duration.ofSeconds(5), Duration.ofMillis(500)));
  }

  @AfterEach
  void close() throws Exception {
    store.close();
    proxy.close();
    service.close();
  }

  @Test
  void connectionsAreUsedAgain() throws Exception {
    try (FaultyProxy mine = new FaultyProxy(service.endpoint());
        S3ObjectStore unprobed =
            S3ObjectStore.unprobed(
                S3Options.of(URI.create("s3://bucket"))
                    .withEndpoint(mine.endpoint())
                    .withCredentials("key", "secret"))) {
      put(unprobed, "a", bytes(1, 1_000), PutCondition.ifAbsent());
      for (int i = 0; i < 100; i++) {
        assertThat(read(unprobed, "a", i, 500)).hasSize(500);
      }
      assertThat(mine.connections()).isEqualTo(1);
    }
  }

  @Test
  void delaysChangeNothing() throws Exception {
    proxy.delay(TimeUnit.MILLISECONDS.toNanos(20));
    put(store, "a", bytes(1, 300_000), PutCondition.ifAbsent());

    assertThat(read(store, "a", 0, 300_000)).isEqualTo(bytes(1, 300_000));
  }

  @Test
  void cutConnectionsAreReplaced() throws Exception {
    byte[] bytes = bytes(1, 1 << 20);
    put(store, "a", bytes, PutCondition.ifAbsent());
    for (int i = 0; i < 4; i++) {
      proxy.cutAfter(100_000L * i);
    }
    proxy.cutAll();

    assertThat(read(store, "a", 0, 1 << 20)).isEqualTo(bytes);
  }

  @Test
  void silentConnectionsAreLeft() throws Exception {
    put(store, "a", bytes(1, 1_000), PutCondition.ifAbsent());
    proxy.silence(true);
    Request<Void> read = store.read("a", null, 0, target(1_000));
    while (service.count("GET") < 2) {
      Thread.onSpinWait();
    }
    proxy.silence(false);

    await(read);
  }

  @Test
  void noTargetIsTouchedAfterItsEndWhateverBreaks() throws Exception {
    Random random = new Random(5);
    byte[] bytes = bytes(1, 1 << 20);
    put(store, "a", bytes, PutCondition.ifAbsent());
    proxy.delay(TimeUnit.MICROSECONDS.toNanos(500));
    List<MemorySegment> targets = new ArrayList<>();
    MemorySegment pattern = target(1 << 20).fill((byte) 0x5a);
    for (int round = 0; round < 10; round++) {
      List<Request<Void>> reads = new ArrayList<>();
      List<MemorySegment> mine = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        mine.add(target(1 << 20));
        reads.add(store.read("a", null, 0, mine.getLast()));
        if (random.nextInt(4) == 0) {
          proxy.cutAfter(random.nextInt(1 << 20));
        }
      }
      if (random.nextInt(2) == 0) {
        proxy.cutAll();
      }
      if (random.nextInt(2) == 0) {
        reads.get(random.nextInt(reads.size())).cancel();
      }
      for (int i = 0; i < reads.size(); i++) {
        awaitEnd(reads.get(i));
        if (!reads.get(i).done().isCompletedExceptionally()) {
          assertThat(mine.get(i).mismatch(MemorySegment.ofArray(bytes))).isEqualTo(-1);
        }
        targets.add(mine.get(i).fill((byte) 0x5a));
      }
    }
    assertThat(targets).allMatch(target -> target.mismatch(pattern) == -1);
  }
}
